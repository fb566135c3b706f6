/** A part of the market that an image has as it is in memory: its pages, which the budget knows by name, and these fields beside them. */
export type Imaged = {
  /** As it is told to the budget where it has pages. */
  readonly name: string
  /** What it has beside its pages, by name; views or copies. */
  imageFields(): ReadonlyMap<string, Uint8Array>
  /** Of one that is empty, after its pages are there. The bytes are its own from now on. */
  fillFrom(fields: ReadonlyMap<string, Uint8Array>): void
}
