import type { Steps } from '../../packages/server/src/gateway/turns/steps.ts'

/** Does all steps of some work; `onStep` is called after each but the last. */
export function allSteps<result>(steps: Steps<result>, onStep: () => void = () => {}): result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    onStep()
  }
}
