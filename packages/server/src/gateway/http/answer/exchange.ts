import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../../lib/logger.ts'
import type { Metrics } from '../../../lib/metrics.ts'
import { RequestError } from '../../errors.ts'
import { type Encoded, sizeOf, textOf, writeEncoded, writeText } from '../../operation/encoded.ts'
import type { Turns } from '../../turns/turns.ts'
import { type AnswerEncoder, acceptedEncoding, type Encoding, hasVersion } from './encoding.ts'
import { errorAnswer } from './errorBody.ts'
import { jsonType } from './jsonBody.ts'
import { canSendWhole, sendWhole, wholeHead } from './wholeAnswer.ts'

/** What all exchanges of a server work with. */
export type ExchangeContext = {
  outputs: OutputBuffers
  encoder: AnswerEncoder
  turns: Turns
  metrics: Metrics
  logger: Logger
  /** Connections are closed after the requests that come now. */
  isClosing(): boolean
}

/** What a request is answered, where it is not JSON that is put together for it. `fields`: names and values in turn. */
export type Content = { status: number; fields: readonly string[]; bytes: Buffer | null }

export function jsonContent(body: unknown, status = 200): Content {
  const bytes = Buffer.from(JSON.stringify(body))
  return { status, fields: ['content-type', jsonType], bytes }
}

// What is written to one socket in a turn: the kernel copies as much in some 30 us, and takes whole megabytes of a body.
export const sliceBytes = 65_536

// Shorter ones fit into one packet of the network.
export const encodedBytesMin = 1_024

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
  /** Request fields that the answer depends on. */
  #vary: string | null = null
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

  /** The answer depends on this field of the request. */
  varyBy(name: string): void {
    this.#vary = this.#vary === null ? name : `${this.#vary}, ${name}`
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

  /**
   * One of these is to be called, once. `fields` are header fields, names and values in turn. `tag` names the content: who has
   * it is only told so. `type` is the media type.
   */
  json(
    status: number,
    fields: string[],
    json: Encoded,
    tag: string | null = null,
    type: string = jsonType,
  ): void {
    const sizeBytes = sizeOf(json)
    if (sizeBytes > encodedBytesMin) this.varyBy('accept-encoding')
    if (tag !== null) {
      const etag = `W/"${tag}"`
      fields.push('etag', etag)
      if (hasVersion(this.request, etag)) {
        this.content({ status: 304, fields, bytes: null })
        return
      }
    }
    const accept = this.request.headers['accept-encoding']
    const isLong = sizeBytes > encodedBytesMin && accept !== undefined
    const encoding = isLong ? acceptedEncoding(String(accept)) : null
    if (encoding === null || !this.#encode(status, fields, json, encoding, tag, type))
      this.#plain(status, fields, json, sizeBytes, type)
  }

  refuse(fields: string[], error: unknown): void {
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
    if (bytes !== null) this.field('content-length', `${bytes.length}`)
    this.#begin(status, fields)
    if (bytes === null) this.#response.end()
    else this.#send(bytes)
  }

  #plain(status: number, fields: string[], json: Encoded, sizeBytes: number, type: string): void {
    fields.push('content-type', type, 'content-length', `${sizeBytes}`)
    if (!this.isLast && sizeBytes < sliceBytes && canSendWhole(this.request, this.#response)) {
      this.#whole(status, fields, json, sizeBytes)
      return
    }
    const { bytes, giveBack } = this.#written(json, sizeBytes)
    this.#response.once('close', giveBack)
    this.#begin(status, fields)
    this.#send(bytes)
  }

  #whole(status: number, fields: readonly string[], json: Encoded, sizeBytes: number): void {
    const head = wholeHead(status, this.#allFields(fields))
    const { outputs } = this.#context
    // There is one for as much as is sent at once.
    const output = outputs.take(head.length + sizeBytes)!
    writeText(output, 0, head, head.length)
    writeEncoded(output, head.length, json, sizeBytes)
    if (sendWhole(this.#response, output.subarray(0, head.length + sizeBytes)))
      outputs.giveBack(output)
    else this.#response.once('close', () => outputs.giveBack(output))
    this.#count(status)
  }

  /** False: too many wait for it. */
  #encode(
    status: number,
    fields: string[],
    json: Encoded,
    encoding: Encoding,
    tag: string | null,
    type: string,
  ): boolean {
    const { encoder } = this.#context
    const key = tag === null ? null : `${this.url} ${tag}`
    fields.push('content-type', type, 'content-encoding', encoding)
    const kept = key === null ? null : encoder.kept(key, encoding)
    if (kept !== null) {
      this.content({ status, fields, bytes: kept })
      return true
    }
    if (!encoder.isFree()) {
      fields.length -= 4
      return false
    }
    const { bytes, giveBack } = this.#written(json, sizeOf(json))
    const done = encoder.encode(bytes, encoding, key).finally(giveBack)
    done.then(
      (made) => this.#inTurn(() => this.content({ status, fields, bytes: made })),
      (error) => this.#inTurn(() => this.refuse([], error)),
    )
    return true
  }

  #written(json: Encoded, sizeBytes: number): { bytes: Buffer; giveBack(): void } {
    const { outputs } = this.#context
    const output = outputs.take(sizeBytes)
    if (output === null) return { bytes: Buffer.from(textOf(json)), giveBack: () => undefined }
    writeEncoded(output, 0, json, sizeBytes)
    return { bytes: output.subarray(0, sizeBytes), giveBack: () => outputs.giveBack(output) }
  }

  #begin(status: number, fields: readonly string[]): void {
    this.#response.writeHead(status, this.#allFields(fields))
    this.#count(status)
  }

  /** Those of this answer behind those of any. */
  #allFields(given: readonly string[]): string[] {
    const fields = this.#fields
    for (const each of given) fields.push(each)
    if (this.#vary !== null) fields.push('vary', this.#vary)
    if (this.isLast) fields.push('connection', 'close')
    return fields
  }

  #count(status: number): void {
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

/** `bytes` are null when there is a fault. */
type BodyDone = (fault: RequestError | null, bytes: Uint8Array | null) => void

/** Gathers the bytes of a request's body. `done` is never called for a client that goes away meanwhile. */
function readRequestBody(request: IncomingMessage, bytesMax: number, done: BodyDone): void {
  // A body that is announced as too long is not read at all.
  if (Number(request.headers['content-length']) > bytesMax) {
    done(bodyTooLarge(), null)
    return
  }
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const onData = (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes <= bytesMax) {
      chunks.push(chunk)
      return
    }
    request.removeListener('data', onData)
    request.removeListener('end', onEnd)
    done(bodyTooLarge(), null)
  }
  const onEnd = () => done(null, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  request.on('data', onData)
  request.on('end', onEnd)
}

function bodyTooLarge(): RequestError {
  return new RequestError('body_too_large', 'The request body is over the size limit.', 'body')
}

/** Buffers that answers are sent from, used again and again: new ones would drive the garbage collector. */
export type OutputBuffers = {
  /** Returns a buffer with room, or null for an answer of an unusual size. */
  take(sizeBytes: number): Buffer | null
  /** Call it when the answer has left, or its client is gone. */
  giveBack(buffer: Buffer): void
}

// A token with its pairs, a batch of 200 prices, a page of rows, and the longest list of rows.
const sizesBytes = [8_192, 131_072, 1_048_576, 2_097_152] as const
// Buffers kept of each size: as many as a busy service uses at once. The collector gets the others.
const keptBytesMax = 33_554_432

export function createOutputBuffers(): OutputBuffers {
  const classes = sizesBytes.map((sizeBytes) => ({ sizeBytes, kept: [] as Buffer[] }))
  return {
    take(sizeBytes) {
      for (const of of classes)
        if (sizeBytes <= of.sizeBytes) return of.kept.pop() ?? Buffer.allocUnsafeSlow(of.sizeBytes)
      return null
    },
    giveBack(buffer) {
      const of = classes.find(({ sizeBytes }) => sizeBytes === buffer.length)
      if (of !== undefined && (of.kept.length + 1) * of.sizeBytes <= keptBytesMax)
        of.kept.push(buffer)
    },
  }
}
