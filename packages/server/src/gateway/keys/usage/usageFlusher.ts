import { randomUUID } from 'node:crypto'
import type { Logger } from '../../../lib/logger.ts'
import type { Metrics } from '../../../lib/metrics.ts'
import type { Clock } from '../../gatewayChain.ts'
import type { KeyStore } from '../keyAccess.ts'
import { creditPeriodAt } from './creditPeriod.ts'
import type { SentUsage, UsageBook } from './usageBook.ts'

type UsageFlusherOptions = {
  store: Pick<KeyStore, 'addUsage' | 'loadCredits' | 'dropUsageSessions'>
  book: UsageBook
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** Time between two writes. */
  everyMs: number
}

type UsageFlusher = {
  /** Writes what changed, once; false: the store did not take it, and it waits for the next time. */
  flush(): Promise<boolean>
  /** Writes what was counted until now, and reads what all processes have; false: the store did not do both. */
  settle(): Promise<boolean>
  /** Writes what is left, if the store lets it. */
  close(): Promise<void>
}

// No process is without a write for so long and then repeats its last one.
const sessionS = 30 * 86_400

// One that is under way, one that failed before and is repeated, and the one with the counts.
const settleTries = 3

/**
 * Writes usage at short intervals, all of it in one statement. A write whose answer is lost is repeated with the same
 * number until it is answered; the store takes a number once.
 */
export function createUsageFlusher(options: UsageFlusherOptions): UsageFlusher {
  const { store, book, clock, logger, metrics, everyMs } = options
  const session = randomUUID()
  let sequence = 0
  /** Of the last batch behind which the sums were read. */
  let readSequence = 0
  let unanswered: SentUsage | null = null
  let isFailing = false
  let underWay: Promise<boolean> | null = null
  const nowS = () => Math.floor(clock.nowMs() / 1_000)

  async function write(): Promise<boolean> {
    if (unanswered === null) {
      unanswered = book.take()
      if (unanswered === null) return true
      sequence += 1
    }
    const { counts } = unanswered
    try {
      await store.addUsage({ session, sequence, nowS: nowS(), counts })
    } catch (error) {
      metrics.usageWriteFailuresTotal.inc()
      if (!isFailing) logger.warn({ msg: 'Could not write usage; it waits in memory', err: error })
      isFailing = true
      return false
    }
    if (isFailing) logger.info({ msg: 'Wrote usage again' })
    if (sequence === 1) await dropOldSessions()
    isFailing = false
    const sent = unanswered
    unanswered = null
    book.written(sent)
    await readSums(sent)
    return true
  }

  async function dropOldSessions(): Promise<void> {
    try {
      await store.dropUsageSessions({ session, nowS: nowS(), unusedS: sessionS })
    } catch (error) {
      logger.debug({ msg: 'Could not drop old sessions of usage', err: error })
    }
  }

  /** What other processes wrote for the same accounts. Nothing of ours is unanswered now, so the sums are whole. */
  async function readSums({ accounts }: SentUsage): Promise<void> {
    const period = creditPeriodAt(clock.nowMs()).number
    try {
      const sums = await store.loadCredits({ accountIds: [...accounts.keys()], period })
      for (const [id, account] of accounts) account.setStored(sums.get(id) ?? 0, period)
      readSequence = sequence
    } catch (error) {
      logger.debug({ msg: 'Could not read credits', err: error })
    }
  }

  function flush(): Promise<boolean> {
    underWay ??= write().finally(() => {
      underWay = null
    })
    return underWay
  }

  async function settle(): Promise<boolean> {
    const wanted = sequence + 1
    for (let tries = 0; tries < settleTries; tries += 1) {
      // The one under way may have begun before the last counts.
      await underWay
      if (readSequence < wanted && !(await flush())) return false
      if (readSequence >= wanted) return true
    }
    return false
  }

  const timer = setInterval(() => void flush(), everyMs)
  timer.unref()
  return {
    flush,
    settle,
    async close() {
      clearInterval(timer)
      // The one under way began before the last counts.
      await underWay
      if (!(await flush())) logger.error({ msg: 'Stopped with usage that was not written' })
    },
  }
}
