/** Texts that many records have in common, each once. */
export class Words {
  private readonly places = new Map<string, number>()
  private readonly texts: string[] = []

  /** 0 stands for none. */
  placeOf(text: string | null): number {
    if (text === null) return 0
    const known = this.places.get(text)
    if (known !== undefined) return known
    this.texts.push(text)
    this.places.set(text, this.texts.length)
    return this.texts.length
  }

  at(place: number): string | null {
    return place === 0 ? null : this.texts[place - 1]!
  }
}
