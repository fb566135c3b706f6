import type { Logger } from '../../../lib/logger.ts'
import type { Metrics } from '../../../lib/metrics.ts'
import type { UsageBatch } from '../../../store/keys/usage.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { KeyStore } from '../keyAccess.ts'
import type { KeySockets } from '../keySockets.ts'
import { creditPeriodAt } from '../plan.ts'
import type { Account, PeerProcesses } from './account.ts'
import type { UsageBook, UsageInFlight } from './usageBook.ts'

type UsageFlusherOptions = {
  store: Pick<KeyStore, 'addUsage' | 'loadCredits' | 'dropUsageSessions'>
  book: UsageBook
  sockets: KeySockets
  /** UUID of this process, which identifies its batches in the store. */
  session: string
  /** Whether other processes serve the same keys. They count this process as long as it writes. */
  isShared: boolean
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** Time between two writes. */
  everyMs: number
}

type UsageFlusher = {
  peers: PeerProcesses
  /**
   * Writes changed usage once. Resolves to false if the store did not take it; the next flush
   * retries.
   */
  flush(): Promise<boolean>
  /**
   * Writes everything counted until now, and reads the sums of all processes. Resolves to false if
   * the store did not do both.
   */
  flushAndReadSums(): Promise<boolean>
  /** Stops the timer and writes the remaining usage, if the store answers. */
  close(): Promise<void>
}

// Age at which unused sessions are deleted. No process pauses its writes for so long and then
// repeats its last write.
const sessionMaxAgeS = 30 * 86_400

// Flushes until the counts are written: one under way, one that failed and is repeated, and the one
// with the counts.
const flushTries = 3

const noCredits = { cost: 0, requestCount: 0 }

// Without usage, every fourth flush writes as a sign of life, so that other processes still count
// this process.
const heartbeatFlushes = 4

/** A batch on its way to the store. */
type Sent = { batch: UsageBatch; usage: UsageInFlight | null }

/**
 * Writes usage and closed sockets at short intervals, in one statement, and reads what all
 * processes used. A write whose answer is lost is repeated with the same sequence number until it
 * is answered. The store applies each number once.
 */
export function createUsageFlusher(options: UsageFlusherOptions): UsageFlusher {
  const { store, book, sockets, session, isShared, logger, metrics, everyMs } = options
  let sequence = 0
  /** Sequence number of the last batch after which the sums were read. */
  let readSequence = 0
  let unanswered: Sent | null = null
  let isFailing = false
  let others = 0
  let skippedFlushes = heartbeatFlushes
  let underWay: Promise<boolean> | null = null
  const readSums = createSumReader(options)

  function take(): Sent | null {
    const usage = book.takeBatch()
    const closedSockets = sockets.drainClosed()
    skippedFlushes += 1
    const isSign = isShared && skippedFlushes >= heartbeatFlushes
    if (usage === null && closedSockets.length === 0 && !isSign) return null
    skippedFlushes = 0
    sequence += 1
    return { batch: { session, sequence, counts: usage?.counts ?? [], closedSockets }, usage }
  }

  async function write(): Promise<boolean> {
    unanswered ??= take()
    if (unanswered === null) {
      await readSums([])
      return true
    }
    const { batch, usage } = unanswered
    try {
      others = await store.addUsage(batch)
    } catch (error) {
      metrics.usageWriteFailuresTotal.inc()
      if (!isFailing) logger.warn({ msg: 'Could not write usage; it waits in memory', err: error })
      isFailing = true
      return false
    }
    if (isFailing) logger.info({ msg: 'Writing usage works again' })
    if (sequence === 1) await dropOldSessions()
    isFailing = false
    unanswered = null
    if (usage !== null) book.markWritten(usage)
    // No write of this process is unanswered, so the sums include all its writes.
    if (await readSums(usage?.accounts ?? [])) readSequence = sequence
    return true
  }

  async function dropOldSessions(): Promise<void> {
    try {
      await store.dropUsageSessions(sessionMaxAgeS)
    } catch (error) {
      logger.debug({ msg: 'Could not drop old sessions of usage', err: error })
    }
  }

  function flush(): Promise<boolean> {
    underWay ??= write().finally(() => {
      underWay = null
    })
    return underWay
  }

  async function flushAndReadSums(): Promise<boolean> {
    const wanted = sequence + 1
    for (let tries = 0; tries < flushTries; tries += 1) {
      // A flush that is under way may have begun before the last counts.
      await underWay
      if (readSequence < wanted && !(await flush())) return false
      if (readSequence >= wanted) return true
    }
    return false
  }

  const timer = setInterval(() => void flush(), everyMs)
  timer.unref()
  // The first write makes other processes count this process.
  if (isShared) void flush()
  return {
    peers: { count: () => (isShared ? 1 + others : 1), isUsageKnown: () => !isFailing },
    flush,
    flushAndReadSums,
    async close() {
      clearInterval(timer)
      // A flush that is under way began before the last counts.
      await underWay
      if (!(await flush())) logger.error({ msg: 'Stopped with unwritten usage' })
    },
  }
}

/**
 * Reads what all processes used of the accounts in a batch, and of earlier accounts until their
 * bucket is full. Resolves to false if the store does not answer.
 */
function createSumReader({ store, clock, logger }: UsageFlusherOptions) {
  let lastRead = new Map<number, Account>()
  return async (used: Iterable<[number, Account]>): Promise<boolean> => {
    const nowMs = clock.nowMs()
    const accounts = new Map(used)
    for (const [id, account] of lastRead)
      if (account.isBucketFull(nowMs) && !accounts.has(id)) account.ignorePeerRequests()
      else accounts.set(id, account)
    lastRead = accounts
    if (accounts.size === 0) return true
    const period = creditPeriodAt(nowMs).number
    try {
      const sums = await store.loadCredits({ accountIds: [...accounts.keys()], period })
      for (const [id, account] of accounts)
        account.setSums(sums.get(id) ?? noCredits, period, nowMs)
      return true
    } catch (error) {
      logger.debug({ msg: 'Could not read credits', err: error })
      return false
    }
  }
}
