import type { PipelineStart } from '../../packages/server/src/app/pipeline/chainPipeline.ts'
import type { ChainSetup } from '../../packages/server/src/kinds/chainSetup.ts'
import { noOpenQuestions } from '../../packages/server/src/resolve/questions/questions.ts'

/** Start state of a pipeline whose store has no data of the chain. */
export function emptyPipelineStart(setup: ChainSetup): PipelineStart {
  return {
    setup,
    known: [],
    older: [],
    firstNumber: null,
    finalizedNumber: -1,
    open: noOpenQuestions,
    leftOut: [],
    lastPoolStates: [],
    nextTokenId: 0,
    nextPairId: 0,
  }
}
