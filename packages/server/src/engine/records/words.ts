import type { Imaged } from '../pages/imaged.ts'
import { imageField } from '../pages/imageFields.ts'
import { ByteReader, ByteWriter } from '../tables/bytes.ts'

/** Texts that many records have in common, each once. */
export class Words implements Imaged {
  readonly name: string
  private readonly places = new Map<string, number>()
  private readonly texts: string[] = []

  constructor(name: string) {
    this.name = name
  }

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

  imageFields(): Map<string, Uint8Array> {
    const writer = new ByteWriter()
    for (const text of this.texts) writer.text(text)
    return new Map([['texts', Buffer.concat(writer.finish())]])
  }

  fillFrom(fields: ReadonlyMap<string, Uint8Array>): void {
    const reader = new ByteReader([imageField(fields, 'texts')])
    while (!reader.isAtEnd) this.placeOf(reader.text())
  }
}
