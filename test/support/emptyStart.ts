import type { PipelineStart } from '../../packages/server/src/app/pipeline/chainPipeline.ts'
import type { ChainSetup } from '../../packages/server/src/kinds/chainSetup.ts'
import { nothingOpen } from '../../packages/server/src/resolve/questions/openSubjects.ts'

/** Start state of a pipeline whose store has no data of the chain. */
export function emptyStart(setup: ChainSetup): PipelineStart {
  return {
    setup,
    known: [],
    older: [],
    firstNumber: null,
    finalizedNumber: -1,
    open: nothingOpen,
    leftOut: [],
    seenPools: [],
    nextTokenId: 0,
    nextPairId: 0,
  }
}
