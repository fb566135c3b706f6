import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Encoded, sizeOf, textOf, writeEncoded } from '../encoded.ts'
import { isHostMissing } from './hostHeader.ts'
import { jsonType } from './jsonBody.ts'
import type { OutputBuffers } from './outputBuffers.ts'
import { type BodyDone, readRequestBody } from './requestBody.ts'

/** A request of an operation and the way to answer it. */
export class Exchange {
  readonly method: string
  /** The request target. */
  readonly url: string
  readonly request: IncomingMessage
  readonly #response: ServerResponse
  readonly #outputs: OutputBuffers

  constructor(request: IncomingMessage, response: ServerResponse, outputs: OutputBuffers) {
    const { method = '', url = '' } = request
    this.method = method
    this.url = url
    this.request = request
    this.#response = response
    this.#outputs = outputs
  }

  get apiKey(): string | undefined {
    const key = this.request.headers['x-api-key']
    return Array.isArray(key) ? key.join() : key
  }

  /** HTTP/1.1 asks for one. */
  get isHostMissing(): boolean {
    return isHostMissing(this.request)
  }

  /** Whoever goes away before the body is complete is never heard of again. */
  readBody(bytesMax: number, done: BodyDone): void {
    readRequestBody(this.request, bytesMax, done)
  }

  /**
   * To be called once. `fields` are header fields, names and values in turn, which becomes ours. `isLast`: the connection is
   * closed after it.
   */
  answer(status: number, fields: string[], json: Encoded, isLast: boolean): void {
    const response = this.#response
    const sizeBytes = sizeOf(json)
    fields.push('content-type', jsonType, 'content-length', `${sizeBytes}`)
    if (isLast) fields.push('connection', 'close')
    response.writeHead(status, fields)
    const output = this.#outputs.take(sizeBytes)
    if (output === null) {
      response.end(textOf(json))
      return
    }
    writeEncoded(output, 0, json, sizeBytes)
    response.once('close', () => this.#outputs.giveBack(output))
    response.end(output.subarray(0, sizeBytes))
  }
}
