/** Records in order: an array, or what makes them one at a time. */
export type RecordSource<record> = {
  readonly length: number
  at(place: number): record | undefined
}
