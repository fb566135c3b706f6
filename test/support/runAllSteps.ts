import type { Steps } from '../../packages/server/src/gateway/ground/steps.ts'

/** Runs a step-wise task to its end. `onStep` is called after each step but the last. */
export function runAllSteps<result>(steps: Steps<result>, onStep: () => void = () => {}): result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    onStep()
  }
}
