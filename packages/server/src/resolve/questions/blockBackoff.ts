/**
 * Backoff in blocks: how many blocks pass before an unanswered question is asked again; doubles
 * each time.
 */
export class BlockBackoff {
  readonly #blocksMax: number
  #blocks = 0
  #blocksLeft = 0

  constructor(blocksMax: number) {
    this.#blocksMax = blocksMax
  }

  get isOver(): boolean {
    return this.#blocksLeft === 0
  }

  nextBlock(): void {
    this.#blocksLeft = Math.max(0, this.#blocksLeft - 1)
  }

  recordAttempt(isAnswered: boolean): void {
    const longer = Math.min(Math.max(1, 2 * this.#blocks), this.#blocksMax)
    this.#blocks = isAnswered ? 0 : longer
    this.#blocksLeft = this.#blocks
  }
}
