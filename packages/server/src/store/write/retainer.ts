import type { Logger } from '../../lib/logger.ts'
import type { BlockWrite } from '../blockWrite.ts'
import { type DailyTable, dayS, firstDayKept, type Retention } from '../retention.ts'
import { dailyTables, dropDays, hasExpiredDay } from './partitions.ts'
import type { WriterSession } from './writerSession.ts'

export type RetainerOptions = {
  chainId: number
  chain: string
  logger: Logger
  retention: Retention
  /** How often it looks, in seconds. */
  retentionEveryS: number
  /** How far our clock and the newest stored block may be apart for anything to be dropped. */
  retentionGapSMax: number
  dropLockWaitMs: number
}

/** Drops what is past retention, now and then. */
type Retainer = {
  /** After this write was stored. True: something was dropped. */
  run(session: WriterSession, last: BlockWrite): Promise<boolean>
  /** Why expired days are not dropped; null: they are. */
  held(): string | null
}

/**
 * What is dropped is gone for good, so two must agree that it is old: our clock and the chain. The smaller of them counts, and
 * where they are far apart one of them is wrong, or the chain is not caught up: then nothing is dropped.
 */
export function createRetainer(options: RetainerOptions): Retainer {
  const { chainId, chain, logger, retention, retentionGapSMax } = options
  let ranAtS = Number.NEGATIVE_INFINITY
  let held: string | null = null

  function hold(clockS: number, headS: number): void {
    const text = `our clock is ${apart(clockS - headS)} the newest stored block`
    // The log tells it once, health as it is now.
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
      // A clock that was set back must not put it off.
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
