import type { Encoded } from '../encoded.ts'
import type { BodyDone, Exchange } from '../exchange.ts'
import { bodyTooLarge } from '../requestBody.ts'
import type { PlainConnection } from './plainConnection.ts'
import type { RequestHead } from './requestHead.ts'

const noBytes = new Uint8Array(0)

/** A request that stands complete in the bytes of its connection. */
export class PlainExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly apiKey: string | undefined
  // Without one it would not be plain.
  readonly isHostMissing = false
  readonly #connection: Pick<PlainConnection, 'answer'>
  #body: Uint8Array

  constructor(
    connection: Pick<PlainConnection, 'answer'>,
    { method, target, apiKey }: RequestHead,
    body: Uint8Array,
  ) {
    this.method = method
    this.url = target
    this.apiKey = apiKey
    this.#connection = connection
    this.#body = body
  }

  readBody(bytesMax: number, done: BodyDone): void {
    const body = this.#body
    // Whoever reads it says how long it lives.
    this.#body = noBytes
    if (body.length > bytesMax) done(bodyTooLarge(), null)
    else done(null, body)
  }

  answer(status: number, fields: readonly string[], json: Encoded, isLast: boolean): void {
    this.#connection.answer(status, fields, json, isLast)
  }
}
