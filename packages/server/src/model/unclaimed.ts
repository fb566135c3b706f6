/** A program whose calls move tokens like swaps, and that no venue reads. */
export type UnclaimedProgram = {
  program: string
  calls: number
  /** Share of all calls that look like swaps, decoded ones included: 0 means none. */
  share: number
}
