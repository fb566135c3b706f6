/**
 * A part of the market that an image stores as it is in memory: its pages, which the page budget
 * knows by name, and the fields below.
 */
export type ImagePart = {
  /** Name under which the part's pages are registered. */
  readonly name: string
  /** Data of the part that is not in pages, by name; views or copies. */
  imageFields(): ReadonlyMap<string, Uint8Array>
  /** Fills an empty part whose pages exist already. It keeps the bytes. */
  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void
}
