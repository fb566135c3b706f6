import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { type Encoded, sizeOf, textOf, writeEncoded } from '../encoded.ts'
import type { Turns } from '../turns.ts'
import { errorAnswer } from './errorBody.ts'
import { jsonType } from './jsonBody.ts'
import type { OutputBuffers } from './outputBuffers.ts'
import { readRequestBody } from './requestBody.ts'

/** What all exchanges of a server work with. */
export type ExchangeContext = {
  outputs: OutputBuffers
  turns: Turns
  metrics: Metrics
  logger: Logger
  /** Connections are closed after the requests that come now. */
  isClosing(): boolean
}

/** What a request is answered, where it is not JSON that is put together for it. `fields`: names and values in turn. */
export type Content = { status: number; fields: string[]; bytes: Buffer | null }

export function jsonContent(body: unknown, status = 200): Content {
  const bytes = Buffer.from(JSON.stringify(body))
  return { status, fields: ['content-type', jsonType], bytes }
}

// What is written to one socket in a turn: the kernel copies as much in some 30 us, and takes whole megabytes of a body.
export const sliceBytes = 65_536

/** A request and the way to answer it. */
export class Exchange {
  readonly method: string
  /** The request target. */
  readonly url: string
  readonly request: IncomingMessage
  /** As metrics name its path. */
  route = 'unmatched'
  /** The part of its path that is an id. */
  id = ''
  /** Null: it has none, or it was not read. */
  body: Uint8Array | null = null
  /** The connection is closed after the answer. */
  isLast: boolean
  /** Until a key says who asks, the rest of a long answer waits for what others ask. */
  isStranger = true
  /** Which request fields the answer depends on. */
  vary: string | null = null
  readonly #startMs = performance.now()
  readonly #fields: string[] = []
  readonly #response: ServerResponse
  readonly #context: ExchangeContext

  constructor(request: IncomingMessage, response: ServerResponse, context: ExchangeContext) {
    const { method = '', url = '' } = request
    this.method = method
    this.url = url
    this.request = request
    this.isLast = context.isClosing()
    this.#response = response
    this.#context = context
  }

  get apiKey(): string | undefined {
    const key = this.request.headers['x-api-key']
    return Array.isArray(key) ? key.join() : key
  }

  /** A header field of the answer, whatever it will be. */
  field(name: string, value: string): void {
    this.#fields.push(name, value)
  }

  /** Whoever goes away before the body is complete is never heard of again. */
  readBody(bytesMax: number, done: () => void): void {
    readRequestBody(this.request, bytesMax, (fault, bytes) => {
      this.body = bytes
      if (fault === null) {
        done()
        return
      }
      // The rest of a body that is too long is not waited for.
      this.isLast = true
      this.refuse([], fault)
    })
  }

  /** One of these is to be called, once. `fields` are header fields, names and values in turn. */
  json(status: number, fields: readonly string[], json: Encoded): void {
    const sizeBytes = sizeOf(json)
    const output = this.#context.outputs.take(sizeBytes)
    const bytes = output === null ? Buffer.from(textOf(json)) : output.subarray(0, sizeBytes)
    if (output !== null) {
      writeEncoded(output, 0, json, sizeBytes)
      this.#response.once('close', () => this.#context.outputs.giveBack(output))
    }
    this.#begin(status, fields, ['content-type', jsonType, 'content-length', `${sizeBytes}`])
    this.#send(bytes)
  }

  refuse(fields: readonly string[], error: unknown): void {
    if (this.#response.headersSent) {
      // Half of an answer is sent: nothing else can be said any more.
      this.#context.logger.error({ msg: 'Failed to send an answer', route: this.route, err: error })
      this.#response.destroy()
      return
    }
    const { status, retryAfterS, text } = errorAnswer(error, this, this.#context.logger)
    if (retryAfterS !== undefined) this.field('retry-after', `${retryAfterS}`)
    this.json(status, fields, text)
  }

  /** The bytes are not copied, and must not change any more. */
  content({ status, fields, bytes }: Content): void {
    this.#begin(status, fields, bytes === null ? [] : ['content-length', `${bytes.length}`])
    if (bytes === null) this.#response.end()
    else this.#send(bytes)
  }

  #begin(status: number, given: readonly string[], ofBody: readonly string[]): void {
    const fields = this.#fields
    for (const each of given) fields.push(each)
    for (const each of ofBody) fields.push(each)
    if (this.vary !== null) fields.push('vary', this.vary)
    if (this.isLast) fields.push('connection', 'close')
    this.#response.writeHead(status, fields)
    const elapsedMs = performance.now() - this.#startMs
    this.#context.metrics.requests.answered(this.route, this.method, status, elapsedMs)
  }

  /** Long ones slice by slice, each in a turn of its own and when the one before it has left. */
  #send(bytes: Buffer): void {
    const response = this.#response
    if (bytes.length <= sliceBytes || this.method === 'HEAD') {
      response.end(bytes)
      return
    }
    const goOn = () => this.#inTurn(() => this.#send(bytes.subarray(sliceBytes)))
    if (response.write(bytes.subarray(0, sliceBytes))) goOn()
    else response.once('drain', goOn)
  }

  #inTurn(work: () => void): void {
    const response = this.#response
    // Its buffer may be another's already.
    const workIfWanted = () => (response.destroyed ? undefined : work())
    try {
      this.#context.turns[this.isStranger ? 'takeLast' : 'take'](workIfWanted)
    } catch {
      response.destroy()
    }
  }
}
