import type { Logger } from '../../lib/logger.ts'
import type { OnStep } from '../startStep.ts'

/** Says what the local chain is busy with while nobody can use it yet. */
type DevnetProgress = {
  /** Blocks of an earlier run that are there again. */
  replayed(minedBlocks: number, totalBlocks: number): void
  /** Market time before the present that is mined. */
  mined(minedS: number, totalS: number): void
}

// A line when it begins and ends, and few between: it takes from seconds to minutes.
const stepCount = 4

export function createDevnetProgress(logger: Logger, onStep: OnStep = () => {}): DevnetProgress {
  const isReplayStep = createSteps()
  const isHistoryStep = createSteps()
  return {
    replayed(minedBlocks, totalBlocks) {
      onStep({ title: 'Rebuilding the local chain', done: minedBlocks, total: totalBlocks })
      if (!isReplayStep(minedBlocks, totalBlocks)) return
      const msg = 'Rebuilding the local chain from its journal'
      logger.info({ msg, minedBlocks, totalBlocks })
    },
    mined(minedS, totalS) {
      if (minedS < totalS) onStep({ title: 'Mining history', done: minedS, total: totalS })
      if (!isHistoryStep(minedS, totalS)) return
      logger.info({ msg: 'Mining history of the local chain', minedS, totalS })
    },
  }
}

/** True for the first report and for one in each further step. All at once was there before: nothing to report. */
function createSteps(): (done: number, total: number) => boolean {
  let reached = -1
  return (done, total) => {
    const step = Math.floor((stepCount * done) / total)
    if (step <= reached || (reached < 0 && done >= total)) return false
    reached = step
    return true
  }
}
