/** A program whose calls move tokens like swaps, and that no venue reads. */
export type UnclaimedProgram = {
  program: string
  calls: number
  /** Of all calls that look like swaps, those that venues read included: 0 means none. */
  share: number
}
