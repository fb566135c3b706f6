/** Where a word may be null, this place says that it is. */
export const nullPlace = 0

/** Texts that many records have in common: bytes name one by its place. */
export class Words {
  readonly texts: string[] = []
  private readonly places = new Map<string, number>()

  placeOf(text: string): number {
    const known = this.places.get(text)
    if (known !== undefined) return known
    this.texts.push(text)
    this.places.set(text, this.texts.length)
    return this.texts.length
  }

  add(texts: readonly string[]): void {
    for (const text of texts) this.placeOf(text)
  }

  /** Returns undefined if no text has this place. */
  at(place: number): string | undefined {
    return this.texts[place - 1]
  }
}
