// A complete chain kind, as a folder of kinds/ would define it: config, ids, blocks and facts.
import { setTimeout as delay } from 'node:timers/promises'
import { base58Ids } from '@chaintape/protocol'
import type { ChainKind, IntakeOptions } from '../../packages/server/src/kinds/chainKind.ts'
import { type ChainSetup, commonProfileOf } from '../../packages/server/src/kinds/chainSetup.ts'
import {
  addressField,
  commonChainFields,
} from '../../packages/server/src/kinds/commonChainFields.ts'
import type { ChainIntake } from '../../packages/server/src/kinds/intake.ts'
import { type Static, Type } from '../../packages/server/src/lib/schema.ts'
import type { BlockRef, ChainEvent } from '../../packages/server/src/model/block.ts'
import type { DecodedBlock, DecodedEvent } from '../../packages/server/src/model/decodedBlock.ts'
import type { ChainReader } from '../../packages/server/src/resolve/chainReader.ts'
import {
  type NodeAnswer,
  nullAddress,
  program,
  type RawBlock,
  type RawEvent,
  tokens,
} from './fakeChain.ts'

const fakeSchema = Type.Object({
  kind: Type.Literal('fake', { description: 'Family of the chain.' }),
  node_url: Type.String({ description: 'Where the chain is read.' }),
  program: addressField('Program whose pools are trusted.'),
  ...commonChainFields,
})

type FakeConfig = Static<typeof fakeSchema>
type FakeSetup = ChainSetup & { nodeUrl: string; finalityBlocks: number }

const pollMs = 10
const finalityBlocksDefault = 12

/** Creates the error for a reorg deeper than the blocks in memory, by the program's own class. */
export type DeepReorg = (facts: {
  chain: string
  depth: number
  ancestor: { number: number; hash: string | null }
}) => Error

export function createFakeKind(
  deepReorg: DeepReorg,
): ChainKind<FakeConfig, FakeSetup, RawBlock, typeof fakeSchema> {
  return {
    name: 'fake',
    schema: fakeSchema,
    ids: base58Ids,
    check: (path, chain) =>
      base58Ids.token(chain.program) === null
        ? [{ path: `${path}.program`, message: `${chain.program} is no address` }]
        : [],
    endpointCountOf: () => 1,
    setupOf: (name, chain, limits) => ({
      kind: 'fake',
      storeName: name,
      nodeUrl: chain.node_url,
      limits,
      startBlock: chain.start_block,
      ...finalityOf(chain),
      profile: {
        ...commonProfileOf(name, chain, { ids: base58Ids, blockMs: 1_000 }),
        venues: [{ address: chain.program, venue: 'fakeSwap', amm: 'fakeswap' }],
        burnAddresses: [nullAddress],
      },
    }),
    openIntake: async (options) => openIntake(options, deepReorg),
    connectNodes: async () => ({
      readWallets: async (wallets) =>
        new Map(wallets.map((wallet) => [wallet, { nativeRaw: 7n, isContract: null }])),
      checker: null,
      endpoints: () => [],
      close: () => undefined,
    }),
    backfill: {
      throttledSetupOf: (setup) => setup,
      findBlockAt: async () => 0,
      async findBlockFrom({ setup, number, signal }) {
        const response = await fetch(`${setup.nodeUrl}?version=-1`, { signal })
        const { blocks } = (await response.json()) as NodeAnswer
        return blocks?.find(({ slot }) => slot >= number)?.slot ?? number
      },
    },
  }
}

function finalityOf({ finality }: FakeConfig) {
  const finalityBlocks = typeof finality === 'number' ? finality : finalityBlocksDefault
  return { finalityBlocks, finality: { type: 'depth', blocks: finalityBlocks } as const }
}

const refOf = ({ slot, hash, parentSlot, parentHash, timeS }: RawBlock): BlockRef => ({
  number: slot,
  hash,
  parentNumber: parentSlot,
  parentHash,
  timeS,
})

function openIntake(
  { setup, known, finalizedNumber, signal }: IntakeOptions<FakeSetup>,
  deepReorg: DeepReorg,
): ChainIntake<RawBlock> {
  const { profile, nodeUrl, finalityBlocks } = setup
  const ours = [...known]
  let canonical: RawBlock[] = []
  let finalized = finalizedNumber

  /** Numbers have gaps, so finality counts blocks below the head. */
  const settledNumber = () => canonical.at(-1 - finalityBlocks)?.slot ?? -1

  function* step(): Generator<ChainEvent<RawBlock>> {
    const hashes = new Set(canonical.map(({ hash }) => hash))
    const depth = ours.length - 1 - ours.findLastIndex(({ hash }) => hashes.has(hash))
    if (depth > profile.reorgDepthMax) {
      const { number, hash } = ours.at(-1 - depth) ?? { number: -1, hash: null }
      throw deepReorg({ chain: profile.name, depth, ancestor: { number, hash } })
    }
    for (let left = depth; left > 0; left -= 1) yield { type: 'revert', ref: ours.pop()! }
    const next = canonical.findIndex(({ hash }) => hash === ours.at(-1)?.hash) + 1
    for (const block of canonical.slice(next)) {
      ours.push(refOf(block))
      yield { type: 'commit', block, receivedMs: Date.now() }
    }
    const number = settledNumber()
    if (number <= finalized) return
    finalized = number
    yield {
      type: 'finalize',
      ref: { number, hash: ours.find((ref) => ref.number === number)!.hash },
    }
  }

  return {
    async *events() {
      for (let version = 0; !signal.aborted; ) {
        const response = await fetch(`${nodeUrl}?version=${version}`, { signal })
        const answer = (await response.json()) as NodeAnswer
        version = answer.version
        if (answer.blocks !== null) {
          canonical = answer.blocks
          yield* step()
        }
        await delay(pollMs, undefined, { signal }).catch(() => undefined)
      }
    },
    progress: () => ({
      startNumber: canonical[0]?.slot ?? 0,
      headNumber: canonical.at(-1)?.slot ?? -1,
      headTimeS: canonical.at(-1)?.timeS ?? 0,
      finalizedNumber: finalized,
      settledNumber: settledNumber(),
      cursorNumber: ours.at(-1)?.number ?? -1,
      isLive: true,
      lastError: null,
    }),
    refOf,
    decode,
    confirm: async () => ({ type: 'alone' }),
    droppedCounts: () => ({}),
    endpoints: () => [],
    reader,
    close: () => undefined,
  }
}

const nothing = async <item>(items: readonly item[]) => items.map(() => null)

// Blocks contain every fact except token names.
const reader: ChainReader = {
  readPools: nothing,
  readPresence: nothing,
  readReserves: nothing,
  readTotals: nothing,
  readCreatedAt: async () => null,
  readTokens: async (addresses) =>
    addresses.map((token) => ({
      ...tokens[token]!,
      name: `Token ${tokens[token]!.symbol}`,
      isUnreadable: false,
      totalSupply: null,
    })),
  coupleIdOf: (pool) => pool,
  readStates: async (pairs) =>
    pairs.map(() => ({ reserve0: null, reserve1: null, priceRaw: null })),
  readNatives: async (wallets) => wallets.map(() => 7n),
  readShares: async (pools) => pools.map(() => null),
  readHistory: async () => ({ balances: new Map(), voided: 0n, logCount: 0, firstBlock: null }),
}

function decode(block: RawBlock): DecodedBlock {
  const events: DecodedEvent[] = []
  for (const { signature: txHash, signer: wallet, events: raw, balances } of block.transactions) {
    const origin = () => ({ index: events.length, txHash, wallet })
    for (const event of raw)
      if (event.type === 'open') {
        const made = { kind: 'constantProduct', factory: program, feePpm: 2_500 } as const
        const { pool, token0, token1 } = event
        events.push({ type: 'pool', ...origin(), pool, token0, token1, ...made })
      }
    for (const { token, owner, amount } of balances)
      events.push({
        type: 'balance',
        index: events.length,
        txHash,
        token,
        owner,
        amount: BigInt(amount),
      })
    for (const event of raw) events.push(marketEventOf(event, origin()))
  }
  return { ref: refOf(block), events }
}

function marketEventOf(
  { type, pool, ...raw }: RawEvent,
  origin: { index: number; txHash: string; wallet: string },
): DecodedEvent {
  const [amount0, amount1] = [BigInt(raw.amount0), BigInt(raw.amount1)]
  const [reserve0, reserve1] = [BigInt(raw.reserve0), BigInt(raw.reserve1)]
  const priceRaw = Number(reserve1) / Number(reserve0)
  const state = { pool, amount0, amount1, reserve0, reserve1, priceRaw, sender: origin.wallet }
  if (type === 'trade') return { type: 'swap', ...origin, ...state, to: origin.wallet }
  return { type: 'liquidity', kind: 'add', ...origin, ...state }
}
