// A market of many pairs in a real engine with the real feed, changed by swaps one at a time.

import { createHash } from 'node:crypto'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import { createFeed } from '../../packages/server/src/gateway/feed/createFeed.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type {
  FinishedBlock,
  FinishedEvent,
  FinishedSwap,
} from '../../packages/server/src/model/finishedBlock.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { generatorProfile } from '../../test/support/blockGenerator.ts'
import { gatewayChainOf } from '../../test/support/gatewayChain.ts'
import { liveStatus } from '../../test/support/liveStatus.ts'
import { pairDefaults } from '../../test/support/pairDefaults.ts'

/** A swap of a pair, with the mark that becomes its transaction hash. */
export type BenchSwap = { pair: number; txHash: string }

export type BenchMarket = ReturnType<typeof createBenchMarket>

const hexOf = (text: string, bytes: number) =>
  `0x${createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * bytes)}`
const addressOf = (text: string) => hexOf(text, 20)

export const chainName = 'local'
export const pairAddress = (pair: number) => addressOf(`pair ${pair}`)
export const tokenAddress = (pair: number) => addressOf(`token ${pair + 2}`)

const native = addressOf('token 0')
const stable = addressOf('token 1')
const profile: ChainProfile = {
  ...generatorProfile,
  name: chainName,
  native: { symbol: 'ETH', decimals: 18, wrappedToken: native },
  stables: [stable],
  quotes: [stable, native],
}

const finalizeEvery = 32
const unstoredBlocks = 8
const nativeReserve = 250_123_456_789_012_345_678n
const tokenReserve = 1_234_567_890_123_456_789_012_345n
const amountIn = 1_234_567_890_123_456_789n
const wallet = addressOf('trader')
const router = addressOf('router')
const nowS = () => Math.floor(Date.now() / 1_000)

/** Pair n trades token n + 2 for the native coin; one more pair prices the native coin. */
export function createBenchMarket(pairCount: number) {
  const engine = createEngine({ profile })
  const chain = gatewayChainOf({
    profile,
    reads: engine,
    status: () =>
      liveStatus({
        tipNumber: head?.number ?? null,
        persistedNumber: Math.max((head?.number ?? 0) - unstoredBlocks, 0),
      }),
  })
  const feed = createFeed({
    chains: new Map([[chainName, chain]]),
    history: null,
    clock: { nowMs: Date.now },
    logger: createLogger('error'),
  })
  let head: BlockRef | null = null

  let seq = 0

  function apply(entry: LogEntry): void {
    seq += 1
    const applied = { chain: chainName, seq, entry, events: engine.apply(entry) }
    chain.recent.persisted(seq - unstoredBlocks)
    chain.recent.applied(applied)
    feed.onApplied(applied)
  }

  function commit(parts: Partial<FinishedBlock>): void {
    const number: number = (head?.number ?? 20_000_000) + 1
    const parentHash = head?.hash ?? hexOf('genesis', 32)
    head = {
      number,
      hash: `0x${number.toString(16).padStart(8, '0').repeat(8)}`,
      parentNumber: head?.number ?? -1,
      parentHash,
      timeS: nowS(),
    }
    const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null }
    apply({ type: 'commit', block: { ref: head, receivedMs: Date.now(), ...rest, ...parts } })
    if (number % finalizeEvery === 0) apply({ type: 'finalize', ref: head })
  }

  commit(genesis(pairCount))
  return {
    feed,
    /** Commits one block; the feed receives the market's events in the same event-loop turn. */
    commit: (swaps: readonly BenchSwap[]) => commit({ events: swaps.map(swapOf) }),
  }
}

function genesis(pairCount: number): Partial<FinishedBlock> {
  const tokens = Array.from({ length: pairCount + 2 }, (_, id) => ({
    id,
    address: addressOf(`token ${id}`),
    symbol: ['WETH', 'USDC'][id] ?? `TKN${id}`,
    name: `Token ${id}`,
    decimals: id === 1 ? 6 : 18,
    isUnreadable: false,
    seenAtS: nowS(),
  }))
  const pairs = Array.from({ length: pairCount + 1 }, (_, id) => ({
    id,
    address: id === pairCount ? addressOf('native pair') : pairAddress(id),
    kind: 'constantProduct' as const,
    factory: addressOf('factory'),
    amm: 'uniswapv2',
    ...(id === pairCount ? { token0Id: 0, token1Id: 1 } : { token0Id: id + 2, token1Id: 0 }),
    isTrusted: true,
    feePpm: 3_000,
    createdAtS: nowS(),
    platform: null,
    ...pairDefaults,
  }))
  const nativePair = { reserve0: 10n ** 22n, reserve1: 3n * 10n ** 13n, priceRaw: 3e-9 }
  const tokenPair = stateOf(tokenReserve, nativeReserve)
  const events = pairs.map(
    ({ id }, index): FinishedEvent => ({
      type: 'sync',
      index,
      pairId: id,
      ...(id === pairCount ? nativePair : tokenPair),
    }),
  )
  return { tokens, pairs, events }
}

function stateOf(reserve0: bigint, reserve1: bigint) {
  return { reserve0, reserve1, priceRaw: Number(reserve1) / Number(reserve0) }
}

const amountOut = (tokenReserve * amountIn) / (nativeReserve + amountIn)
/** A purchase from unchanged initial reserves, so that prices stay where they are. */
const buy: FinishedSwap = {
  type: 'swap',
  index: 0,
  txHash: '',
  wallet,
  pairId: 0,
  sender: router,
  to: wallet,
  amount0: -amountOut,
  amount1: amountIn,
  ...stateOf(tokenReserve - amountOut, nativeReserve + amountIn),
  holding0: null,
  holding1: null,
  native: null,
  accountFlags: 0,
}

function swapOf({ pair, txHash }: BenchSwap, index: number): FinishedSwap {
  return { ...buy, index, txHash, pairId: pair }
}
