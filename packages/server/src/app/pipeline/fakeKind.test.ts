// A chain kind made up for this test: skipped block numbers, base58 ids, several pools in one
// transaction, and balances instead of transfers. Its blocks go through resolve, ledger, log and
// engine like those of any kind.

import { expect, test } from 'vitest'
import { emptyPipelineStart } from '../../../../../test/support/emptyPipelineStart.ts'
import { emptySums, fakeReader } from '../../../../../test/support/resolverFixture.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { ChainIntake } from '../../kinds/intake.ts'
import { createLogger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef, ChainEvent } from '../../model/block.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { DecodedBlock, DecodedEvent } from '../../model/decodedBlock.ts'
import { createPipeline } from './chainPipeline.ts'

const coin = 'So11111111111111111111111111111111111111112'
const dollar = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
// Two token ids that differ only in the case of one letter.
const meme = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const memeTwin = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPb263'
const stablePool = '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2'
const memePool = 'Czfq3xZZDmsdGdUyrNLtRhGc47cXcZtLG4crryfu44zE'
const twinPool = 'HJPjoWUrhoZzkNfRpHuieeFk9WcZWjwy6PBjZ81ngndJ'
const program = '675kPX9MHTjS2zt1qfr1NYHuzeLXfSSGNk2NYHuzeLXf'
const none = '11111111111111111111111111111111'
const alice = '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9'

const profile: ChainProfile = {
  name: 'fake',
  native: { symbol: 'COIN', decimals: 6, wrappedToken: coin },
  stables: [dollar],
  quotes: [dollar, coin],
  venues: [{ address: program, venue: 'fakeSwap', amm: 'fakeswap' }],
  launchPlatforms: [],
  burnAddresses: [none],
  lockers: [],
  outOfCirculation: [],
  nativePoolUsdMin: 0,
  reorgDepthMax: 4,
}

const setup: ChainSetup = {
  kind: 'fake',
  storeName: 'fake',
  startBlock: 0,
  profile,
  finality: { type: 'depth', blocks: 4 },
  limits: {
    resolveMsMax: 1_000,
    ignoreMs: 600_000,
    rpcMsMax: 1_000,
    rpcBatchRequestsMax: 1,
    logRangeBlocksMax: 1,
    backfillRangesMax: 1,
    entriesAheadMax: 10,
    creationSearchesMax: 1,
    shareReadsMax: 0,
  },
}

type Trade = { txHash: string; wallet: string; legs: [pool: string, amount0: bigint][] }

const pools = new Map([
  [stablePool, { token0: coin, token1: dollar }],
  [memePool, { token0: meme, token1: coin }],
  [twinPool, { token0: memeTwin, token1: coin }],
])

/** The fake chain: its accounts, and blocks that report the balances after each transaction. */
class FakeChain {
  readonly accounts = new Map<string, bigint>()
  head: BlockRef | null = null

  /** Adds a block. Skipped numbers between the previous block and this one have no block. */
  block(number: number, trades: readonly Trade[], branch = ''): DecodedBlock {
    const parent = { parentNumber: this.head?.number ?? -1, parentHash: this.head?.hash ?? none }
    const hash = `Block${number}${branch}`
    this.head = { number, hash, ...parent, timeS: 1_750_000_000 + number }
    const isFirst = parent.parentNumber < 0
    const events: DecodedEvent[] = isFirst ? this.#open() : []
    for (const trade of trades) this.#trade(trade, events)
    return { ref: this.head, events: events.map((event, index) => ({ ...event, index })) }
  }

  amountOf(token: string, owner: string): bigint {
    return this.accounts.get(`${token} ${owner}`) ?? 0n
  }

  holders(token: string): number {
    return [...this.accounts].filter(([key, has]) => key.startsWith(`${token} `) && has > 0n).length
  }

  #open(): DecodedEvent[] {
    const origin = { index: 0, txHash: 'Open', wallet: alice }
    const made = { kind: 'constantProduct', factory: program, feePpm: 2_500 } as const
    const opened: DecodedEvent[] = []
    for (const [pool, tokens] of pools) {
      opened.push({ type: 'pool', ...origin, pool, ...made, ...tokens })
      for (const token of Object.values(tokens)) {
        this.#move(token, pool, 1_000_000_000n, 'Open', opened)
        this.#move(token, alice, 50_000_000n, 'Open', opened)
      }
    }
    return opened
  }

  #trade({ txHash, wallet, legs }: Trade, events: DecodedEvent[]): void {
    for (const [pool, amount0] of legs) {
      const { token0, token1 } = pools.get(pool)!
      const [has0, has1] = [this.amountOf(token0, pool), this.amountOf(token1, pool)]
      const amount1 = (has0 * has1) / (has0 + amount0) - has1
      for (const [token, amount] of [
        [token0, amount0],
        [token1, amount1],
      ] as const) {
        this.#move(token, wallet, -amount, txHash, events)
        this.#move(token, pool, amount, txHash, events)
      }
      const [reserve0, reserve1] = [has0 + amount0, has1 + amount1]
      const priceRaw = Number(reserve1) / Number(reserve0)
      events.push({
        type: 'swap',
        index: 0,
        txHash,
        wallet,
        pool,
        sender: wallet,
        to: wallet,
        amount0,
        amount1,
        reserve0,
        reserve1,
        priceRaw,
      })
    }
  }

  #move(token: string, owner: string, by: bigint, txHash: string, events: DecodedEvent[]): void {
    const amount = this.amountOf(token, owner) + by
    this.accounts.set(`${token} ${owner}`, amount)
    events.push({ type: 'balance', index: 0, txHash, token, owner, amount })
  }
}

function intakeOf(events: readonly ChainEvent<DecodedBlock>[]): ChainIntake<DecodedBlock> {
  const numbers = { startNumber: 3, headNumber: 90, headTimeS: 0, cursorNumber: 0 }
  return {
    async *events() {
      yield* events
    },
    progress: () => ({
      ...numbers,
      finalizedNumber: -1,
      settledNumber: -1,
      isLive: true,
      lastError: null,
    }),
    refOf: ({ ref }) => ref,
    decode: (block) => block,
    droppedCounts: () => ({}),
    endpoints: () => [],
    confirm: async () => ({ type: 'alone' }),
    reader: {
      ...fakeReader(),
      readHistory: async () => emptySums(),
      readTotals: async (tokens) => tokens.map(() => null),
      readTokens: async (tokens) =>
        tokens.map((address) => ({
          symbol: address.slice(0, 4),
          name: address,
          decimals: 6,
          isUnreadable: false,
          totalSupply: null,
        })),
    },
    close: () => undefined,
  }
}

/** Runs events through the pipeline and the encoded log into an engine. */
async function play(events: readonly ChainEvent<DecodedBlock>[]): Promise<Engine> {
  const engine = createEngine({ profile })
  const nothing = async () => []
  const pipeline = createPipeline({
    start: emptyPipelineStart(setup),
    intake: intakeOf(events),
    store: {
      findPairs: nothing,
      findCouples: nothing,
      listPairs: nothing,
      findTokens: nothing,
      loadBalances: nothing,
      loadSupplies: nothing,
    },
    sendEntry: ({ bytes }) => void engine.apply(decodeEntry(bytes)),
    logger: createLogger('silent'),
    signal: new AbortController().signal,
  })
  await pipeline.run()
  return engine
}

const commit = (block: DecodedBlock) => ({ type: 'commit', block, receivedMs: 0 }) as const
const round: Trade = {
  txHash: 'Tx7',
  wallet: alice,
  legs: [
    [memePool, -40_000n],
    [twinPool, 30_000n],
    [stablePool, 9_000n],
  ],
}
const sell: Trade = { txHash: 'Tx20', wallet: alice, legs: [[memePool, 25_000n]] }

test('default: pools, trades and holders of another chain kind, across skipped numbers', async () => {
  const chain = new FakeChain()
  const blocks = [
    chain.block(3, []),
    chain.block(7, [round]),
    chain.block(8, []),
    chain.block(20, [sell]),
  ]
  const engine = await play(blocks.map(commit))
  expect(engine.head()).toEqual({ ...chain.head!, number: 20, parentNumber: 8 })
  expect([engine.tokenCount(), engine.pairCount()]).toEqual([4, 3])
  for (const [pool, { token0 }] of pools) {
    const pairId = engine.findPair(pool)!
    const { record } = engine.pairState(pairId)
    expect([record.address, record.isTrusted]).toEqual([pool, true])
    expect(record.token0Id).toBe(engine.findToken(token0))
  }
  // Ids are case-sensitive: these two tokens differ only in case.
  expect(engine.findToken(meme)).not.toBe(engine.findToken(memeTwin))
  expect(engine.findToken(meme.toLowerCase())).toBe(undefined)
  for (const token of [coin, dollar, meme, memeTwin]) {
    const supply = engine.tokenState(engine.findToken(token)!).supply
    expect([token, supply?.holders]).toEqual([token, chain.holders(token)])
  }
})

test('behavior: a reorg leaves no trace of the other branch', async () => {
  const stem = (chain: FakeChain) => [chain.block(3, []), chain.block(7, [round])]
  const chain = new FakeChain()
  const blocks = stem(chain)
  const head = chain.head!
  const accounts = new Map(chain.accounts)
  const orphans = [chain.block(8, [sell]), chain.block(19, [{ ...round, txHash: 'TxGone' }])]
  for (const [key, amount] of accounts) chain.accounts.set(key, amount)
  chain.head = head
  const others = [chain.block(12, [sell], 'b'), chain.block(31, [], 'b')]
  const reverted = await play([
    ...[...blocks, ...orphans].map(commit),
    ...orphans.toReversed().map(({ ref }) => ({ type: 'revert', ref }) as const),
    ...others.map(commit),
  ])
  const straight = await play([...blocks, ...others].map(commit))
  expect(reverted.head()).toEqual(straight.head())
  expect(reverted.stateHash()).toBe(straight.stateHash())
})
