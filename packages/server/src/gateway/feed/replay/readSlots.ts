import { RequestError } from '../../errors.ts'

/** At most so many reads at a time; others wait in order, and at most so many wait. */
export class ReadSlots {
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
          'Too many readers resume at once; try again.',
          'since',
        )
      // Whoever ends hands its slot over, so that nobody overtakes.
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
