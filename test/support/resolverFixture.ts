import { pino } from 'pino'
import { vi } from 'vitest'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { DecodedBlock, DecodedEvent } from '../../packages/server/src/model/decodedBlock.ts'
import type { PoolAnswer } from '../../packages/server/src/model/pool.ts'
import type {
  ChainReader,
  TokenAnswer,
  TransferSums,
} from '../../packages/server/src/resolve/chainReader.ts'
import type { Clock } from '../../packages/server/src/resolve/clock.ts'
import type { RecordReader } from '../../packages/server/src/resolve/records/recordCache.ts'
import { Resolver } from '../../packages/server/src/resolve/resolver.ts'
import type { ResolverOptions } from '../../packages/server/src/resolve/resolverOptions.ts'

const logger = pino({ level: 'silent' })
export const zero = `0x${'0'.repeat(40)}`

export const profile: ChainProfile = {
  name: 'test',
  native: { symbol: 'ETH', decimals: 18, wrappedToken: '0xweth' },
  stables: [],
  quotes: ['0xweth'],
  venues: [
    { address: '0xfactory2', venue: 'uniswapV2', amm: 'uniswapv2' },
    { address: '0xfactory3', venue: 'uniswapV3', amm: 'uniswapv3' },
  ],
  launchPlatforms: [{ address: '0xpad', platform: 'tape', amm: 'tapecurve' }],
  burnAddresses: [zero],
  lockers: [],
  outOfCirculation: [],
  nativePoolUsdMin: 0,
  reorgDepthMax: 8,
}

export function blockOf(
  number: number,
  events: readonly DecodedEvent[],
  branch = 'a',
): DecodedBlock {
  const parent = { parentNumber: number - 1, parentHash: `${number - 1}a` }
  return { ref: { number, hash: `${number}${branch}`, ...parent, timeS: 100 + number }, events }
}

export const place = (index: number) => ({ index, txHash: `tx${index}`, wallet: '0xtrader' })

export function poolEvent(
  index: number,
  pool: string,
  parts: Partial<DecodedEvent> = {},
): DecodedEvent {
  const made = { kind: 'constantProduct', factory: '0xfactory2', feePpm: null } as const
  const tokens = { token0: '0xaaa', token1: '0xweth' }
  return { type: 'pool', ...place(index), pool, ...made, ...tokens, ...parts } as DecodedEvent
}

export function swapEvent(index: number, pool: string): DecodedEvent {
  const amounts = { amount0: 1n, amount1: -1n, reserve0: 5n, reserve1: 5n, priceRaw: 1 }
  return { type: 'swap', ...place(index), pool, sender: '0xrouter', to: '0xtrader', ...amounts }
}

export function liquidityEvent(index: number, pool: string): DecodedEvent {
  const amounts = { amount0: 1n, amount1: 1n, reserve0: 5n, reserve1: 5n, priceRaw: 1 }
  return { type: 'liquidity', ...place(index), pool, kind: 'add', sender: '0xrouter', ...amounts }
}

export function moveEvent(index: number, token: string, amount = 1n): DecodedEvent {
  return { type: 'transfer', index, txHash: 'tx', token, from: zero, to: '0xtrader', amount }
}

export const emptySums = (): TransferSums => ({
  balances: new Map(),
  voided: 0n,
  logCount: 0,
  firstBlock: null,
})

export function answerOf(address: string): TokenAnswer {
  const symbol = address.slice(2).toUpperCase()
  return { symbol, name: `Token ${symbol}`, decimals: 6, isUnreadable: false, totalSupply: 50n }
}

export function fakeReader(pools: Record<string, PoolAnswer> = {}) {
  return {
    readPools: vi.fn<ChainReader['readPools']>(async (queries) =>
      queries.map(({ pool }) => pools[pool] ?? null),
    ),
    coupleIdOf: (pool: string, couple: readonly [string, string]) => `${pool}/${couple.join('/')}`,
    readPresence: vi.fn<ChainReader['readPresence']>(async (addresses) =>
      addresses.map(() => true),
    ),
    readCreatedAt: vi.fn<ChainReader['readCreatedAt']>(async () => null),
    readShares: vi.fn<ChainReader['readShares']>(async (pools) => pools.map(() => 70n)),
    readReserves: vi.fn<ChainReader['readReserves']>(async (pools) => pools.map(() => null)),
    readTokens: vi.fn<ChainReader['readTokens']>(async (addresses) => addresses.map(answerOf)),
    readTotals: vi.fn<ChainReader['readTotals']>(async (addresses) => addresses.map(() => 60n)),
    readStates: vi.fn<ChainReader['readStates']>(async (pairs) =>
      pairs.map(() => ({ reserve0: 7n, reserve1: 8n, priceRaw: 3 })),
    ),
    readNatives: vi.fn<ChainReader['readNatives']>(async (wallets) => wallets.map(() => 9n)),
    readHistory: vi.fn<ChainReader['readHistory']>(async () => emptySums()),
  } satisfies ChainReader
}

export const noRecords: RecordReader = {
  findPairs: async () => [],
  findCouples: async () => [],
  listPairs: async () => [],
  findTokens: async () => [],
}

/** A clock whose sleepers wake only when the test calls `pass`. */
export function manualClock(): Clock & { pass(): void } {
  let waiting: (() => void)[] = []
  return {
    nowMs: () => 0,
    sleep: () => new Promise((resolve) => waiting.push(resolve)),
    pass() {
      for (const wake of waiting) wake()
      waiting = []
    },
  }
}

export function openResolver(options: Partial<ResolverOptions> = {}) {
  const ids = { nextTokenId: 0, nextPairId: 0 }
  return new Resolver({
    profile,
    reader: fakeReader(),
    records: noRecords,
    ...ids,
    logger,
    ...options,
    // Background searches are off unless the test enables them.
    limits: { creationSearchesMax: 0, shareReadsMax: 0, ...options.limits },
  })
}

export const live = { receivedMs: 1, isLive: true }
export const backfill = { receivedMs: 1, isLive: false }

/** A pool as its contract describes it. */
export const describedPool: PoolAnswer = {
  venue: 'uniswapV3',
  kind: 'concentrated',
  token0: '0xaaa',
  token1: '0xweth',
  others: [],
  factory: '0xfactory3',
  feePpm: 500,
  params: [],
  isConfirmed: true,
}
