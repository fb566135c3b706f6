/** Semaphore: at most `countMax` holders at a time, the others wait in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(countMax: number) {
    this.#free = countMax
  }

  /** Waits for a free slot. Returns the function that releases the slot. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
