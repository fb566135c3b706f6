/**
 * A message to subscribers, encoded once whatever their number. A subscriber's message is `{"id":`, the id of its
 * request, and one of these texts.
 */
export type Push = {
  /** From the comma after the id to the closing brace, exactly as the contract has it. */
  readonly plain: Buffer
  /** The same with `cursor`, `block_time` and `received_time`, for those who opted in; made when first asked for. */
  detailed(): Buffer
  /** A slow reader keeps only the newest of one key; null: every one must arrive. */
  readonly conflateKey: string | null
  /** Where a reader that lost this push resumes. */
  readonly cursor: string
}
