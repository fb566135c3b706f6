import assert from 'node:assert/strict'
import type { LogRow } from '../../packages/server/src/log/log.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { BalanceChange } from '../../packages/server/src/model/finishedBlock.ts'
import {
  type EndedKline,
  encodeEndedKlines,
  readEndedKlines,
} from '../../packages/server/src/model/klines/endedKlines.ts'
import type { Kline } from '../../packages/server/src/model/klines/kline.ts'
import type {
  EndedKlinesEvent,
  LiquidityEvent,
  MarketEvent,
  PairValuation,
  SupplyEvent,
  SwapEvent,
} from '../../packages/server/src/model/marketEvent.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { TokenRecord, TokenSupply } from '../../packages/server/src/model/token.ts'
import type { BlockWrite } from '../../packages/server/src/store/blockWrite.ts'
import { pairDefaults } from './pairDefaults.ts'

export const startS = 1_750_000_000

export const quote: PairValuation = {
  price0Usd: 1.25,
  price1Usd: null,
  price0Native: 0.1,
  price1Native: 1e-18,
  liquidityUsd: 1_234.5,
  liquidityNative: 0.5,
}

export function swapEvent(index: number, pairId: number, change: Partial<SwapEvent['swap']> = {}) {
  const event: SwapEvent = {
    type: 'swap',
    swap: {
      type: 'swap',
      index,
      txHash: `0x${index.toString(16).padStart(64, '0')}`,
      wallet: '0xwallet',
      reserve0: 10n ** 24n,
      reserve1: 5n,
      priceRaw: 0.1 + 0.2,
      holding0: 7n,
      holding1: null,
      native: null,
      accountFlags: 3,
      pairId,
      sender: '0xrouter',
      to: '0xto',
      amount0: -(10n ** 30n),
      amount1: 12n,
      ...change,
    },
    quote,
    amountUsdE8: 123_456_789,
    amountNativeRaw: 15n * 10n ** 20n + 1n,
    isBuy: index % 2 === 0,
  }
  return event
}

export function liquidityEvent(index: number, pairId: number): LiquidityEvent {
  return {
    type: 'liquidity',
    liquidity: {
      type: 'liquidity',
      kind: 'add',
      index,
      txHash: `0x${index}`,
      wallet: '0xprovider',
      reserve0: 1n,
      reserve1: 2n,
      priceRaw: 3,
      pairId,
      sender: '0xrouter',
      amount0: 4n,
      amount1: 5n,
    },
    quote,
    amountUsdE8: 0,
    amountNativeRaw: 0n,
  }
}

export function klineEvent(
  pairId: number,
  interval: number,
  klineStartS: number,
): EndedKlinesEvent {
  const usd = { open: 1, high: 2.5, low: 0.1, close: 1 / 3 }
  const kline: Kline = {
    startS: klineStartS,
    usd,
    native: { open: 1e-9, high: 1e-8, low: 1e-10, close: 5e-324 },
    volumeUsdE8: 10n ** 20n,
    volumeNativeRaw: 2n ** 100n,
    count: 4,
  }
  return { type: 'endedKlines', ...encodeEndedKlines([{ pairId, interval, kline }]) }
}

export function tokenRecord(id: number, change: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id,
    address: `token${id}`,
    symbol: `T${id}`,
    name: `Token ${id}`,
    decimals: 18,
    isUnreadable: false,
    seenAtS: startS,
    ...change,
  }
}

export function pairRecord(id: number): PairRecord {
  return {
    id,
    address: `pair${id}`,
    kind: 'constantProduct',
    token0Id: 0,
    token1Id: 1,
    factory: 'factory',
    amm: 'uniswapv2',
    isTrusted: true,
    feePpm: 3_000,
    createdAtS: startS,
    platform: null,
    ...pairDefaults,
  }
}

function supplyOf(tokenId: number, total: bigint): TokenSupply {
  return { tokenId, total, burnt: 1n, locked: 2n, other: 3n, holders: 4, isComplete: true }
}

export function supplyEvent(tokenId: number, total: bigint): SupplyEvent {
  return { type: 'supply', supply: supplyOf(tokenId, total), holdersBefore: null }
}

export type BlockOptions = {
  timeS?: number
  timeMs?: number | undefined
  nowS?: number
  /** Time of the newest block that the nodes report. */
  tipTimeS?: number
  events?: readonly MarketEvent[]
  balances?: readonly BalanceChange[]
  /** Whether the block is final when it is stored. */
  isFinal?: boolean
  /** Distinguishes blocks of the same number on different branches. */
  fork?: string
}

/** Creates consecutive writes, as ingestion does. */
export function createWriteSequence(
  chainId: number,
  { seq = 0, number: firstNumber = 0 }: { seq?: number; number?: number } = {},
) {
  const blocks: { ref: BlockRef; balances: readonly BalanceChange[] }[] = []
  let lastSeq = seq

  function write(
    row: LogRow,
    change: Pick<BlockWrite, 'events' | 'balances' | 'reverted' | 'nowS' | 'tipTimeS'>,
  ): BlockWrite {
    const before = lastSeq
    lastSeq += 1
    const head = blocks.at(-1)?.ref
    return {
      chainId,
      expectedSeq: before,
      entries: [row],
      headAfter: { number: head?.number ?? -1, hash: head?.hash ?? '' },
      ...change,
    }
  }

  return {
    head: () => blocks.at(-1)?.ref,
    commit(options: BlockOptions = {}): BlockWrite {
      const parent = blocks.at(-1)?.ref
      const number = parent === undefined ? firstNumber : parent.number + 1
      const timeS = options.timeS ?? (parent?.timeS ?? startS) + 1
      const hash = `hash${number}${options.fork ?? ''}`
      const link = { parentNumber: parent?.number ?? -1, parentHash: parent?.hash ?? '' }
      const { timeMs } = options
      const ref = { number, hash, ...link, timeS, ...(timeMs === undefined ? {} : { timeMs }) }
      const { events = [], balances = [], isFinal = false, nowS = timeS, tipTimeS } = options
      blocks.push({ ref, balances })
      const undo = isFinal ? null : Buffer.from(`undo ${hash}`)
      const bytes = Buffer.from(`commit ${hash}`)
      return write(
        { type: 'commit', ref, bytes, undo },
        { events, balances, reverted: null, nowS, tipTimeS },
      )
    },
    late(events: readonly MarketEvent[], ref: BlockRef): BlockWrite {
      const row = { type: 'late', ref, bytes: Buffer.from('late'), undo: null } as const
      return write(row, { events, balances: [], reverted: null, nowS: ref.timeS })
    },
    revert(): BlockWrite {
      const block = blocks.pop()
      assert(block !== undefined)
      const { ref, balances } = block
      const row = { type: 'revert', ref, bytes: Buffer.from('revert'), undo: null } as const
      const events = [{ type: 'reverted', ref }] as const
      return write(row, { events, balances, reverted: ref, nowS: ref.timeS })
    },
    finalize(number: number): BlockWrite {
      const ref = {
        number,
        hash: `hash${number}`,
        parentNumber: -1,
        parentHash: '',
        timeS: blocks.at(-1)!.ref.timeS,
      }
      const row = { type: 'finalize', ref, bytes: Buffer.from('finalize'), undo: null } as const
      return write(row, { events: [], balances: [], reverted: null, nowS: ref.timeS })
    },
  }
}

/** Numbers in [0, 1) that depend on the seed only (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type HistoryOptions = {
  /** Number of first blocks that are final when they are stored, as in a backfill. @default 0 */
  finalBlocks?: number
  /** Every how many writes one has late facts of a stored block. @default never */
  lateEvery?: number
}

/** A whole history with reverts and finality, the same for the same seed. */
export function randomHistory(
  chainId: number,
  seed: number,
  count: number,
  { finalBlocks = 0, lateEvery = Number.POSITIVE_INFINITY }: HistoryOptions = {},
): BlockWrite[] {
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const tape = createWriteSequence(chainId)
  const balances = new Map<string, bigint>()
  const taken: BalanceChange[][] = []
  const given: { tokens: number; pairs: number }[] = []
  const refs: BlockRef[] = []
  let made = { tokens: 0, pairs: 0 }
  let finalized = finalBlocks - 1
  let forks = 0
  const writes: BlockWrite[] = []

  function changeBalances(): BalanceChange[] {
    const changes: BalanceChange[] = []
    const used = new Set<string>()
    for (let i = below(6); i > 0; i--) {
      const tokenId = below(3)
      const wallet = `wallet${below(30)}`
      const key = `${tokenId} ${wallet}`
      if (used.has(key)) continue
      used.add(key)
      const before = balances.get(key) ?? 0n
      const after = below(4) === 0 ? 0n : BigInt(below(1_000_000)) * 10n ** BigInt(below(30))
      changes.push({ tokenId, wallet, before, after })
      balances.set(key, after)
    }
    return changes
  }

  function commit(): BlockWrite {
    const before = { ...made }
    const timeS = (tape.head()?.timeS ?? startS) + 1 + below(3)
    const events = randomEvents(below, timeS, made)
    const changes = changeBalances()
    taken.push(changes)
    given.push(before)
    const write = tape.commit({
      timeS,
      events,
      balances: changes,
      isFinal: refs.length < finalBlocks,
      fork: `f${forks}`,
    })
    refs.push(tape.head()!)
    return write
  }

  /** A better record of a token and a supply, reported some blocks later. */
  function late(): BlockWrite {
    const number = finalized + 1 + below(refs.length - finalized - 1)
    const known = (given[number + 1] ?? made).tokens
    const token = tokenRecord(below(known), { symbol: `LATE${below(1e6)}` })
    const supply = supplyEvent(below(3), BigInt(below(1e9)))
    return tape.late([{ type: 'token', token }, supply], refs[number]!)
  }

  function revert(): BlockWrite {
    forks += 1
    refs.pop()
    for (const { tokenId, wallet, before } of taken.pop()!)
      balances.set(`${tokenId} ${wallet}`, before)
    made = given.pop()!
    return tape.revert()
  }

  while (writes.length < count) {
    const head = tape.head()?.number ?? -1
    const dice = below(20)
    if (writes.length % lateEvery === lateEvery - 1 && head > finalized) writes.push(late())
    else if (dice === 0 && head > finalized + 1)
      for (let depth = 1 + below(head - finalized - 1); depth > 0; depth--) writes.push(revert())
    else if (dice === 1 && head > finalized + 5) {
      finalized = head - 5
      writes.push(tape.finalize(finalized))
    } else writes.push(commit())
  }
  return writes
}

/** Events of one block. Counts the tokens and pairs that it creates in `made`. */
function randomEvents(
  below: (limit: number) => number,
  timeS: number,
  made: { tokens: number; pairs: number },
): MarketEvent[] {
  const events: MarketEvent[] = []
  if (made.tokens < 3 || below(3) === 0)
    events.push({ type: 'token', token: tokenRecord(made.tokens++) })
  if (below(4) === 0) events.push({ type: 'pair', pair: pairRecord(made.pairs++) })
  for (let index = below(8); index > 0; index--) events.push(swapEvent(index, below(5)))
  if (below(5) === 0) events.push(liquidityEvent(100, below(5)))
  for (const interval of [0, 1, 5])
    if (below(3) === 0) events.push(klineEvent(below(5), interval, timeS - 1))
  if (below(2) === 0) events.push(supplyEvent(below(3), BigInt(below(1e9))))
  if (below(6) === 0)
    events.push({ type: 'launch', state: 'almost', tokenId: below(3), pairId: below(5) })
  return dedupeKlines(events)
}

function dedupeKlines(events: readonly MarketEvent[]): MarketEvent[] {
  const seen = new Set<string>()
  return events.filter((event) => {
    if (event.type !== 'endedKlines') return true
    const [{ pairId, interval, kline }] = [...readEndedKlines(event)] as [EndedKline]
    const key = `${pairId} ${interval} ${kline.startS}`
    return !seen.has(key) && seen.add(key)
  })
}
