/** A program whose calls move tokens like swaps, and that no venue decodes. */
export type UnclaimedProgram = {
  program: string
  calls: number
  /** Part of all calls that look like swaps, decoded ones included; 0 if there are none. */
  share: number
}
