/**
 * A part of the market that an image stores as it is in memory: its pages, which the budget knows
 * by name, and these fields.
 */
export type Imaged = {
  /** The name under which its pages are registered. */
  readonly name: string
  /** Its data beside pages, by name; views or copies. */
  imageFields(): ReadonlyMap<string, Uint8Array>
  /** Fills an empty part whose pages exist. It takes over the bytes. */
  fillFrom(fields: ReadonlyMap<string, Uint8Array>): void
}
