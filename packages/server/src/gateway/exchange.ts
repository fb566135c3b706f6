import type { Encoded } from './encoded.ts'
import type { RequestError } from './errors.ts'

/** `bytes` are null when there is a fault. */
export type BodyDone = (fault: RequestError | null, bytes: Uint8Array | null) => void

/** A request of an operation and the way to answer it, whichever server has read it. */
export type Exchange = {
  readonly method: string
  /** The request target. */
  readonly url: string
  readonly apiKey: string | undefined
  /** HTTP/1.1 asks for one. */
  readonly isHostMissing: boolean
  /** Whoever goes away before the body is complete is never heard of again. */
  readBody(bytesMax: number, done: BodyDone): void
  /**
   * To be called once. `fields` are header fields, names and values in turn. `isLast`: the connection is closed after it.
   */
  answer(status: number, fields: readonly string[], json: Encoded, isLast: boolean): void
}
