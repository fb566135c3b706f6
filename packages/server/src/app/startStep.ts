/** What a start is busy with, for whoever looks on. */
export type StartStep = {
  /** The same one for as long as it goes on. */
  title: string
  /** How much of it is done, where that can be counted. */
  done?: number
  total?: number
  /** What it waits for. */
  note?: string
}

export type OnStep = (step: StartStep) => void
