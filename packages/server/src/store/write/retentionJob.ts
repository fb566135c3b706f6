import type { Logger } from '../../lib/logger.ts'
import type { BlockWrite } from '../blockWrite.ts'
import { type DailyTable, dayS, firstDayKept, type Retention } from '../retention.ts'
import { dailyTables, dropDays, hasExpiredDay } from './partitions.ts'
import type { WriterSession } from './writerSession.ts'

export type RetentionJobOptions = {
  chainId: number
  chain: string
  logger: Logger
  retention: Retention
  /** Interval between checks, in seconds. */
  retentionEveryS: number
  /**
   * Largest difference between local time and the newest stored block at which anything is dropped.
   */
  retentionGapSMax: number
  dropLockWaitMs: number
}

/** Drops expired days at intervals. */
type Retainer = {
  /** Called after this write was stored. True if something was dropped. */
  run(session: WriterSession, last: BlockWrite): Promise<boolean>
  /** Why expired days are kept; null if they are dropped. */
  held(): string | null
}

/**
 * Dropped data is gone for good, so the local clock and the chain must agree that it is old. The
 * earlier of both counts; if they differ too much, one is wrong or the chain is catching up, and
 * nothing is dropped.
 */
export function createRetentionJob(options: RetentionJobOptions): Retainer {
  const { chainId, chain, logger, retention, retentionGapSMax } = options
  let ranAtS = Number.NEGATIVE_INFINITY
  let held: string | null = null

  function hold(clockS: number, headS: number): void {
    const text = `our clock is ${apart(clockS - headS)} the newest stored block`
    // Logged once; health shows the current state.
    if (held === null)
      logger.warn({
        msg: 'Kept what is past retention: the clock is far from the chain',
        chain,
        clockS,
        headS,
      })
    held = text
  }

  return {
    async run({ client, knownDays }, { nowS: clockS, entries }) {
      // A clock that was set back must not delay it.
      if (Math.abs(clockS - ranAtS) < options.retentionEveryS) return false
      ranAtS = clockS
      const headS = entries.at(-1)!.ref.timeS
      if (!hasExpiredDay(knownDays, retention, clockS)) {
        held = null
        return false
      }
      if (Math.abs(clockS - headS) > retentionGapSMax) {
        hold(clockS, headS)
        return false
      }
      if (held !== null) logger.info({ msg: 'Drops what is past retention again', chain })
      held = null
      const nowS = Math.min(clockS, headS)
      const { dropLockWaitMs: lockWaitMs } = options
      const firstDayOf = (table: DailyTable) => firstDayKept(nowS, retention[table])
      const dropped = await dropDays(client, chainId, knownDays, {
        tables: dailyTables,
        firstDayOf,
        lockWaitMs,
      })
      if (dropped.length > 0) logger.info({ msg: 'Dropped expired partitions', chain, dropped })
      return dropped.length > 0
    },
    held: () => held,
  }
}

function apart(gapS: number): string {
  const days = (Math.abs(gapS) / dayS).toFixed(1)
  return `${days} days ${gapS > 0 ? 'ahead of' : 'behind'}`
}
