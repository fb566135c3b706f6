import type { Logger } from '../../lib/logger.ts'
import type { OnStep } from '../startStep.ts'

/** Reports how many seconds of market time before the present are mined. */
type DevnetProgress = (minedS: number, totalS: number) => void

// Log lines per history, since mining takes from seconds to minutes.
const stepCount = 4

/** Logs the progress of mining history. History that is mined at once is not logged. */
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
