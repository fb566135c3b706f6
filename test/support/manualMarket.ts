// A feed with blocks written by the test: native at 2,000 USD, token 4 at half a native coin in
// pair 1.
import { createHash } from 'node:crypto'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { FinishedBlock, FinishedEvent } from '../../packages/server/src/model/finishedBlock.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { createFeedMarket, type FeedMarketOptions, type Message } from './feedMarket.ts'
import { genesis, profile, swap } from './marketChain.ts'

export function createManualMarket(options: FeedMarketOptions = {}) {
  const market = createFeedMarket({ profile, ...options })
  const log: LogEntry[] = []
  const refs: BlockRef[] = []
  let made = 0
  const apply = (entry: LogEntry) => {
    log.push(entry)
    market.apply(entry)
  }
  /** Commits a block. A fractional step also gives it a time in milliseconds. */
  function commit(parts: Partial<FinishedBlock> = {}, stepS = 1): BlockRef {
    made += 1
    const parent = refs.at(-1)
    const number = (parent?.number ?? 0) + 1
    const hash = `0x${createHash('sha256').update(`${number} ${made}`).digest('hex')}`
    const parentHash = parent?.hash ?? '0x00'
    const parentNumber = parent?.number ?? -1
    const parentMs = parent?.timeMs ?? (parent?.timeS ?? 1_700_000_000) * 1_000
    const timeMs = parentMs + stepS * 1_000
    const ref = {
      number,
      hash,
      parentNumber,
      parentHash,
      timeS: Math.floor(timeMs / 1_000),
      ...(Number.isInteger(stepS) ? {} : { timeMs }),
    }
    refs.push(ref)
    const drainEventLoop = { tokens: [], pairs: [], supplies: [], nativeUsd: null }
    const events = (parts.events ?? []).map((event, index) => ({ ...event, index }))
    const block = { ref, receivedMs: ref.timeS * 1_000 + 7, ...drainEventLoop, ...parts, events }
    apply({ type: 'commit', block })
    return ref
  }
  const revert = () => apply({ type: 'revert', ref: refs.pop()! })
  commit(genesis)
  return { ...market, commit, revert, log, refs }
}

/** A purchase of token 4 for 60 native coins. */
export const buy = (txHash: string, reserves: [number, number] = [1_900, 1_060]): FinishedEvent =>
  ({ ...swap(1, [-100, 60], reserves), txHash }) as FinishedEvent

export const transactionIds = (messages: readonly Message[]) =>
  messages.map(({ result }) => result.tx.id)
export const microtask = () => Promise.resolve()

export const rest = async () => {
  for (let left = 10; left > 0; left -= 1) await new Promise<void>((go) => setImmediate(go))
}
