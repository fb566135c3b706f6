import { RequestError } from '../../ground/errors.ts'

/** Limits concurrent reads. Further reads wait in order, and their number is limited too. */
export class ReadLimiter {
  private readonly max: number
  private readonly waitsMax: number
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(max: number, waitsMax: number) {
    this.max = max
    this.waitsMax = waitsMax
  }

  async run<result>(read: () => Promise<result>): Promise<result> {
    if (this.running >= this.max) {
      if (this.waiting.length >= this.waitsMax)
        throw new RequestError(
          'unavailable',
          'Too many subscriptions resume at once; try again.',
          'since',
        )
      // A read that ends passes its slot to the first waiting read, so that no new read overtakes.
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    } else this.running += 1
    try {
      return await read()
    } finally {
      const next = this.waiting.shift()
      if (next === undefined) this.running -= 1
      else next()
    }
  }
}
