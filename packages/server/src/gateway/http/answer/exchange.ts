import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../../lib/logger.ts'
import type { Metrics } from '../../../lib/metrics.ts'
import {
  type EncodedJson,
  encodedSizeBytes,
  encodedText,
  writeEncoded,
  writeText,
} from '../../ground/encodedJson.ts'
import { RequestError } from '../../ground/errors.ts'
import { jsonContentType } from '../../ground/jsonBody.ts'
import type { Scheduler } from '../../ground/scheduler.ts'
import {
  type AnswerCompressor,
  acceptedEncoding,
  type Encoding,
  hasMatchingEtag,
} from './encoding.ts'
import { errorAnswer } from './errorAnswer.ts'
import { answerHead, canSendInOneWrite, sendInOneWrite } from './wholeAnswer.ts'

/** Services that all exchanges of a server share. */
export type ExchangeContext = {
  buffers: BufferPool
  compressor: AnswerCompressor
  scheduler: Scheduler
  metrics: Metrics
  logger: Logger
  /** Returns true while the server shuts down: each connection then closes after its answer. */
  isClosing(): boolean
}

/**
 * An answer with a ready body, or without a body. `fields` alternates names and values of headers.
 */
export type RawAnswer = { status: number; fields: readonly string[]; bytes: Buffer | null }

export function jsonAnswer(body: unknown, status = 200): RawAnswer {
  const bytes = Buffer.from(JSON.stringify(body))
  return { status, fields: ['content-type', jsonContentType], bytes }
}

// Bytes written to one socket per scheduler slot. The kernel copies that much in about 30 us, but
// would take whole megabytes of a body.
export const sliceBytes = 65_536

// Minimum size of a compressed answer: a shorter answer fits into one network packet.
export const compressedBytesMin = 1_024

/** One HTTP request and the means to answer it. */
export class Exchange {
  readonly method: string
  /** The request target: path and query as sent. */
  readonly url: string
  readonly request: IncomingMessage
  /** Path pattern that names the request in metrics. */
  routeName = 'unmatched'
  /** Id in the request's path. Empty if the path has none. */
  id = ''
  /** Request body. Null if it is absent or was not read. */
  body: Uint8Array | null = null
  /** True if the connection closes after this answer. */
  closesConnection: boolean
  /**
   * True until an API key is accepted. The slices of a long answer to an anonymous client wait
   * behind the work of known keys.
   */
  isAnonymous = true
  /** Vary header of the answer: request headers that the answer depends on. */
  #vary: string | null = null
  readonly #startMs = performance.now()
  readonly #headers: string[] = []
  readonly #response: ServerResponse
  readonly #context: ExchangeContext

  constructor(request: IncomingMessage, response: ServerResponse, context: ExchangeContext) {
    const { method = '', url = '' } = request
    this.method = method
    this.url = url
    this.request = request
    this.closesConnection = context.isClosing()
    this.#response = response
    this.#context = context
  }

  get apiKey(): string | undefined {
    const key = this.request.headers['x-api-key']
    return Array.isArray(key) ? key.join() : key
  }

  /** Adds a request header that the answer depends on to the Vary header. */
  varyBy(name: string): void {
    this.#vary = this.#vary === null ? name : `${this.#vary}, ${name}`
  }

  /** Adds a header to the answer, whether the request succeeds or fails. */
  setHeader(name: string, value: string): void {
    this.#headers.push(name, value)
  }

  /**
   * Reads the request body, then calls `done`. `done` is never called if the client disconnects
   * before.
   */
  readBody(bytesMax: number, done: () => void): void {
    readRequestBody(this.request, bytesMax, (fault, bytes) => {
      this.body = bytes
      if (fault === null) {
        done()
        return
      }
      // The connection closes instead of waiting for the rest of a body that is too long.
      this.closesConnection = true
      this.sendError([], fault)
    })
  }

  /**
   * Sends a JSON answer. A request gets exactly one answer: JSON, an error or a raw answer.
   * `fields` alternates names and values of headers. `tag` names the content: a client that already
   * has it gets a 304. `type` is the media type.
   */
  sendJson(
    status: number,
    fields: string[],
    json: EncodedJson,
    tag: string | null = null,
    type: string = jsonContentType,
  ): void {
    const sizeBytes = encodedSizeBytes(json)
    if (sizeBytes > compressedBytesMin) this.varyBy('accept-encoding')
    if (tag !== null) {
      const etag = `W/"${tag}"`
      fields.push('etag', etag)
      if (hasMatchingEtag(this.request, etag)) {
        this.sendRaw({ status: 304, fields, bytes: null })
        return
      }
    }
    const accept = this.request.headers['accept-encoding']
    const isLong = sizeBytes > compressedBytesMin && accept !== undefined
    const encoding = isLong ? acceptedEncoding(String(accept)) : null
    if (encoding === null || !this.#sendCompressed(status, fields, json, encoding, tag, type))
      this.#sendUncompressed(status, fields, json, sizeBytes, type)
  }

  sendError(fields: string[], error: unknown): void {
    if (this.#response.headersSent) {
      // Half of the answer is already sent, so the client cannot get an error any more.
      this.#context.logger.error({
        msg: 'Failed to send an answer',
        route: this.routeName,
        err: error,
      })
      this.#response.destroy()
      return
    }
    const { status, retryAfterS, text } = errorAnswer(
      error,
      { method: this.method, url: this.url, route: this.routeName },
      this.#context.logger,
    )
    if (retryAfterS !== undefined) this.setHeader('retry-after', `${retryAfterS}`)
    this.sendJson(status, fields, text)
  }

  /** Sends a ready answer. Its bytes are not copied and must not change any more. */
  sendRaw({ status, fields, bytes }: RawAnswer): void {
    if (bytes !== null) this.setHeader('content-length', `${bytes.length}`)
    this.#writeHead(status, fields)
    if (bytes === null) this.#response.end()
    else this.#sendSlices(bytes)
  }

  #sendUncompressed(
    status: number,
    fields: string[],
    json: EncodedJson,
    sizeBytes: number,
    type: string,
  ): void {
    fields.push('content-type', type, 'content-length', `${sizeBytes}`)
    if (
      !this.closesConnection &&
      sizeBytes < sliceBytes &&
      canSendInOneWrite(this.request, this.#response)
    ) {
      this.#sendInOneWrite(status, fields, json, sizeBytes)
      return
    }
    const { bytes, giveBack } = this.#encodeToBuffer(json, sizeBytes)
    this.#response.once('close', giveBack)
    this.#writeHead(status, fields)
    this.#sendSlices(bytes)
  }

  #sendInOneWrite(
    status: number,
    fields: readonly string[],
    json: EncodedJson,
    sizeBytes: number,
  ): void {
    const head = answerHead(status, this.#allHeaders(fields))
    const { buffers } = this.#context
    // Never null: the pool has buffers for all sizes up to `sliceBytes`.
    const output = buffers.take(head.length + sizeBytes)!
    writeText(output, 0, head, head.length)
    writeEncoded(output, head.length, json, sizeBytes)
    if (sendInOneWrite(this.#response, output.subarray(0, head.length + sizeBytes)))
      buffers.release(output)
    else this.#response.once('close', () => buffers.release(output))
    this.#count(status)
  }

  /** Sends an answer compressed. Returns false if too many compressions are under way. */
  #sendCompressed(
    status: number,
    fields: string[],
    json: EncodedJson,
    encoding: Encoding,
    tag: string | null,
    type: string,
  ): boolean {
    const { compressor } = this.#context
    const key = tag === null ? null : `${this.url} ${tag}`
    fields.push('content-type', type, 'content-encoding', encoding)
    const kept = key === null ? null : compressor.cached(key, encoding)
    if (kept !== null) {
      this.sendRaw({ status, fields, bytes: kept })
      return true
    }
    if (!compressor.canCompress()) {
      fields.length -= 4
      return false
    }
    const { bytes, giveBack } = this.#encodeToBuffer(json, encodedSizeBytes(json))
    const done = compressor.compress(bytes, encoding, key).finally(giveBack)
    done.then(
      (made) => this.#runInSlot(() => this.sendRaw({ status, fields, bytes: made })),
      (error) => this.#runInSlot(() => this.sendError([], error)),
    )
    return true
  }

  #encodeToBuffer(json: EncodedJson, sizeBytes: number): { bytes: Buffer; giveBack(): void } {
    const { buffers } = this.#context
    const output = buffers.take(sizeBytes)
    if (output === null) return { bytes: Buffer.from(encodedText(json)), giveBack: () => undefined }
    writeEncoded(output, 0, json, sizeBytes)
    return { bytes: output.subarray(0, sizeBytes), giveBack: () => buffers.release(output) }
  }

  #writeHead(status: number, fields: readonly string[]): void {
    this.#response.writeHead(status, this.#allHeaders(fields))
    this.#count(status)
  }

  /** Returns the headers common to all answers, then those of this answer. */
  #allHeaders(given: readonly string[]): string[] {
    const fields = this.#headers
    for (const each of given) fields.push(each)
    if (this.#vary !== null) fields.push('vary', this.#vary)
    if (this.closesConnection) fields.push('connection', 'close')
    return fields
  }

  #count(status: number): void {
    const elapsedMs = performance.now() - this.#startMs
    this.#context.metrics.requests.answered(this.routeName, this.method, status, elapsedMs)
  }

  /**
   * Sends a body. A long body leaves in slices, each in its own scheduler slot after the slice
   * before has left.
   */
  #sendSlices(bytes: Buffer): void {
    const response = this.#response
    if (bytes.length <= sliceBytes || this.method === 'HEAD') {
      response.end(bytes)
      return
    }
    const goOn = () => this.#runInSlot(() => this.#sendSlices(bytes.subarray(sliceBytes)))
    if (response.write(bytes.subarray(0, sliceBytes))) goOn()
    else response.once('drain', goOn)
  }

  #runInSlot(work: () => void): void {
    const response = this.#response
    // After a disconnect, another answer may already use the output buffer.
    const workIfWanted = () => (response.destroyed ? undefined : work())
    try {
      this.#context.scheduler[this.isAnonymous ? 'runAnonymous' : 'run'](workIfWanted)
    } catch {
      response.destroy()
    }
  }
}

/**
 * Callback with the bytes of a request body, or with the reason why the body was refused. The other
 * argument is null.
 */
type BodyDone = (fault: RequestError | null, bytes: Uint8Array | null) => void

/**
 * Collects the bytes of a request's body. Never calls `done` if the client disconnects before the
 * end.
 */
function readRequestBody(request: IncomingMessage, bytesMax: number, done: BodyDone): void {
  // A body whose announced length is over the limit is not read at all.
  if (Number(request.headers['content-length']) > bytesMax) {
    done(bodyTooLarge(bytesMax), null)
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
    done(bodyTooLarge(bytesMax), null)
  }
  const onEnd = () => done(null, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  request.on('data', onData)
  request.on('end', onEnd)
}

function bodyTooLarge(bytesMax: number): RequestError {
  return new RequestError(
    'body_too_large',
    `The request body is larger than the limit of ${bytesMax} bytes.`,
    'body',
  )
}

/**
 * Reusable buffers that answers are sent from. New buffers for each answer would keep the garbage
 * collector busy.
 */
export type BufferPool = {
  /** Returns a buffer of at least this size, or null if the answer exceeds the largest size. */
  take(sizeBytes: number): Buffer | null
  /**
   * Returns a buffer to the pool. Call it when the answer has left or the client has disconnected.
   */
  release(buffer: Buffer): void
}

// Buffer sizes: a token with its pairs, a batch of 200 prices, a page of rows, and the longest list
// of rows.
const bufferSizes = [8_192, 131_072, 1_048_576, 2_097_152] as const
// Bytes of idle buffers kept per size, as many as a busy service uses at once. Further buffers are
// garbage collected.
const idleBytesMax = 33_554_432

export function createBufferPool(): BufferPool {
  const classes = bufferSizes.map((sizeBytes) => ({ sizeBytes, kept: [] as Buffer[] }))
  return {
    take(sizeBytes) {
      for (const of of classes)
        if (sizeBytes <= of.sizeBytes) return of.kept.pop() ?? Buffer.allocUnsafeSlow(of.sizeBytes)
      return null
    },
    release(buffer) {
      const of = classes.find(({ sizeBytes }) => sizeBytes === buffer.length)
      if (of !== undefined && (of.kept.length + 1) * of.sizeBytes <= idleBytesMax)
        of.kept.push(buffer)
    },
  }
}
