/** The position that means null. */
export const nullPosition = 0

/** Texts shared by many records: bytes refer to one by its position. */
export class StringTable {
  readonly texts: string[] = []
  readonly #places = new Map<string, number>()

  placeOf(text: string): number {
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.texts.push(text)
    this.#places.set(text, this.texts.length)
    return this.texts.length
  }

  add(texts: readonly string[]): void {
    for (const text of texts) this.placeOf(text)
  }

  /** Undefined if no text has this position. */
  at(place: number): string | undefined {
    return this.texts[place - 1]
  }
}
