import type { PipelineStart } from '../../packages/server/src/app/pipeline/chainPipeline.ts'
import type { ChainSetup } from '../../packages/server/src/kinds/chainSetup.ts'

/** Of a pipeline whose store has nothing of the chain yet. */
export function emptyStart(setup: ChainSetup): PipelineStart {
  return {
    setup,
    known: [],
    older: [],
    firstNumber: null,
    finalizedNumber: -1,
    incompleteTokens: [],
    unknownPoolIds: new Uint32Array(),
    unknownPools: [],
    leftOut: [],
    uncreatedPairs: [],
    uncreatedTokens: [],
    unsharedPairs: [],
    seenPools: [],
    nextTokenId: 0,
    nextPairId: 0,
  }
}
