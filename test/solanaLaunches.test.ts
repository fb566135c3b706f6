// A generated Solana market through every stage: launches, graduations and traders in the engine.
import { expect, test } from 'vitest'
import {
  type GeneratedBlock,
  GeneratedChain,
} from '../packages/devnet/src/solana/generatedChain.ts'
import { meme } from '../packages/devnet/src/solana/market.ts'
import { solanaProfile } from '../packages/devnet/src/solana/solanaProfile.ts'
import { startSolanaRpc } from '../packages/devnet/src/solana/solanaRpcServer.ts'
import { createSolanaRpc } from '../packages/server/src/chain/solana/solanaRpc.ts'
import { decodeSolanaBlock } from '../packages/server/src/decode/solana/decodeSolanaBlock.ts'
import { createEngine } from '../packages/server/src/engine/engine.ts'
import { createLedger } from '../packages/server/src/ledger/ledger.ts'
import { createLogger } from '../packages/server/src/lib/logger.ts'
import { decodeEntry, encodeEntry } from '../packages/server/src/log/entryCodec.ts'
import type { ChainProfile } from '../packages/server/src/model/chainProfile.ts'
import type { FinishedBlock } from '../packages/server/src/model/finishedBlock.ts'
import type { LiquidityEvent, MainPairEvent } from '../packages/server/src/model/marketEvent.ts'
import { Resolver } from '../packages/server/src/resolve/resolver.ts'
import { createSolanaReader } from '../packages/server/src/resolve/solana/solanaReader.ts'
import { knownSolanaVenues as venues } from '../packages/server/src/venues/solana/venues.ts'
import { type MemoryRows, recordsOf, writeRows } from './support/memoryPipeline.ts'
import { profile as plainProfile } from './support/resolverFixture.ts'

const logger = createLogger('silent')
const profile: ChainProfile = { ...plainProfile, ...solanaProfile }
const sharedOwners = new Set(solanaProfile.sharedOwners)

/** Opens the stages: decode, resolve, ledger, log codec and engine. */
async function openStages(chain: GeneratedChain) {
  const node = await startSolanaRpc(() => chain)
  const rpc = createSolanaRpc({
    endpoints: [{ httpUrl: node.url }],
    timeoutMs: 20_000,
    hedgeAfterMs: 20_000,
    batchSizeMax: 20,
    logger,
  })
  const rows: MemoryRows = {
    tokens: new Map(),
    pairs: new Map(),
    balances: new Map(),
    supplies: new Map(),
  }
  const resolver = new Resolver({
    profile,
    reader: createSolanaReader({ profile, rpc, venues, sharedOwners }),
    records: recordsOf(rows),
    logger,
    nextTokenId: 0,
    nextPairId: 0,
    limits: { budgetMs: 60_000 },
  })
  const ledger = createLedger({
    profile,
    logger,
    math: venues.find,
    balances: { loadBalances: async (keys) => keys.map(() => 0n), loadSupplies: async () => [] },
  })
  const engine = createEngine({ profile })
  return {
    engine,
    rows,
    async apply(generated: GeneratedBlock, isLive: boolean) {
      const { slot: number, blockhash: hash, parentSlot: parentNumber, transactions } = generated
      const parent = { parentNumber, parentHash: generated.previousBlockhash }
      const ref = { number, hash, ...parent, timeS: generated.blockTime }
      const decoded = decodeSolanaBlock(
        { ref, transactions },
        { venues, holders: { sharedOwners } },
      )
      const resolved = await resolver.resolve(decoded, { receivedMs: 0, isLive })
      const result = await ledger.apply(resolved)
      writeRows(rows, result)
      const entry = decodeEntry(encodeEntry({ type: 'commit', block: result.block }))
      return { block: result.block, events: engine.apply(entry) }
    },
    async close() {
      resolver.close()
      rpc.close()
      await node.stop()
    },
  }
}

type Played = {
  block: FinishedBlock
  unpriced: string[]
  switches: MainPairEvent[]
  creations: LiquidityEvent[]
}

/**
 * Plays all blocks of a chain, the newest `liveCount` as live. Returns the tokens without a price
 * after each block.
 */
async function play(chain: GeneratedChain, liveCount: number) {
  const stages = await openStages(chain)
  const { engine, rows } = stages
  const played: Played[] = []
  try {
    for (const [at, generated] of chain.blocks.entries()) {
      const { block, events } = await stages.apply(generated, at >= chain.blocks.length - liveCount)
      const tokens = [...rows.tokens.values()]
      const isPriced = (id: number) => {
        const { price, mainPairId, marketCapUsd } = engine.tokenState(id)
        if (mainPairId === null) return (price?.usd ?? 0) > 0
        return (price?.usd ?? 0) > 0 && engine.pairState(mainPairId).tvlUsd > 0 && marketCapUsd > 0
      }
      const launched = tokens.filter(({ id }) => engine.launchOf(id) !== null)
      const unpriced = launched.filter(({ id }) => !isPriced(id)).map(({ address }) => address)
      const switches = events.filter((event) => event.type === 'mainPair')
      const creations = events.filter(
        (event) => event.type === 'liquidity' && event.liquidity.kind === 'create',
      ) as LiquidityEvent[]
      played.push({ block, unpriced, switches, creations })
    }
  } finally {
    await stages.close()
  }
  return { ...stages, played }
}

const mined = (blocks: number) => {
  const chain = new GeneratedChain({ seed: 7, startTimeS: 1_790_000_000 })
  chain.mine(blocks)
  return chain
}

test('default: a token has a price, a market cap and liquidity in every block from its launch through its graduation', async () => {
  const { played, engine } = await play(mined(60), 0)
  expect(played.flatMap(({ unpriced }) => unpriced)).toEqual([])
  const launches = played.flatMap(({ block }) =>
    block.events.filter(({ type }) => type === 'launch'),
  )
  expect(launches.length).toBeGreaterThan(5)
  // Some launches graduated to a pool. Its creation is one row, with the amounts that the curve
  // raised.
  const switches = played.flatMap((block) => block.switches)
  expect(switches.length).toBeGreaterThan(0)
  const creations = played.flatMap(({ block }) =>
    block.events.filter((event) => event.type === 'liquidity' && event.kind === 'create'),
  ) as { pairId: number; reserve0: bigint; reserve1: bigint; amount0: bigint; amount1: bigint }[]
  for (const { newPairId } of switches) {
    const made = creations.filter(({ pairId }) => pairId === newPairId)
    expect(made).toHaveLength(1)
    const [{ reserve0, reserve1, amount0, amount1 }] = made as [(typeof made)[0]]
    expect([reserve0, reserve1]).toEqual([amount0, amount1])
    expect(reserve0 > 0n && reserve1 > 0n).toBe(true)
    expect(engine.pairState(newPairId).initReserve0).toBe(reserve0)
    const pushed = played
      .flatMap(({ creations }) => creations)
      .find(({ liquidity }) => liquidity.pairId === newPairId)
    expect(pushed!.quote.liquidityUsd).toBeGreaterThan(0)
  }
})

test('behavior: every swap has its trader’s balances of both tokens and of SOL', async () => {
  const { played } = await play(mined(30), 0)
  const swaps = played.flatMap(({ block }) => block.events.filter(({ type }) => type === 'swap'))
  expect(swaps.length).toBeGreaterThan(100)
  for (const swap of swaps)
    expect(swap).toMatchObject({
      holding0: expect.any(BigInt),
      holding1: expect.any(BigInt),
      native: expect.any(BigInt),
    })
})

test('behavior: the supply of tokens from before the first block is read once the chain is live', async () => {
  const chain = mined(12)
  const behind = await play(chain, 0)
  const idOf = ({ rows }: typeof behind) => rows.tokens.get(meme)!.id
  expect(behind.engine.tokenSupply(idOf(behind))).toMatchObject({ total: 0n, isComplete: false })
  const live = await play(chain, 1)
  const { supply } = chain.world.mints.get(meme)!
  expect(supply > 0n).toBe(true)
  expect(live.engine.tokenSupply(idOf(live))).toMatchObject({ total: supply, isComplete: false })
})
