/** A step of the service's start, shown to the user. */
export type StartStep = {
  /** Text of the step; updates of the same step repeat the same title. */
  title: string
  /** Progress, if it can be counted: `done` of `total`. */
  done?: number
  total?: number
  /** What the step waits for. */
  note?: string
}

export type OnStartStep = (step: StartStep) => void
