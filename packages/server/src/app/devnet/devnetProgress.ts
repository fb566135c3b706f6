import type { Logger } from '../../lib/logger.ts'
import type { OnStep } from '../startStep.ts'

/** Takes how much market time before the present is mined. */
type DevnetProgress = (minedS: number, totalS: number) => void

// A line at the begin and the end, and few between: history takes from seconds to minutes.
const stepCount = 4

/** Reports history while it is mined. All of it at once is nothing to report. */
export function createDevnetProgress(logger: Logger, onStep: OnStep = () => {}): DevnetProgress {
  let reached = -1
  return (minedS, totalS) => {
    if (minedS < totalS) onStep({ title: 'Mining history', done: minedS, total: totalS })
    const step = Math.floor((stepCount * minedS) / totalS)
    if (step <= reached || (reached < 0 && minedS >= totalS)) return
    reached = step
    logger.info({ msg: 'Mining history of the local chain', minedS, totalS })
  }
}
