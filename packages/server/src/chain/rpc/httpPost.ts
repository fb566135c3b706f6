import { isAscii } from 'node:buffer'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { RpcError, type RpcSource } from '../errors.ts'

export type HttpPostOptions = {
  url: URL
  /** The endpoint named in errors. */
  source: RpcSource
  timeoutMs: number
}

type HttpAnswer = { status: number; retryAfterMs: number | undefined; text: string }

export type HttpPost = {
  /**
   * Sends a POST request. Rejects with an RpcError: unreachable, timeout, responseTooLarge or
   * aborted.
   */
  post(
    body: string,
    /** `method`: name used in errors. `bytesMax`: limit of the answer after decompression. */
    asked: { method: string; bytesMax: number },
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer>
  close(): void
}

export type CreateHttpPost = (options: HttpPostOptions) => HttpPost

// Enough for all parallel ranges and the live requests of one chain; more would only queue inside
// the node.
const socketsMax = 64

/**
 * Sends JSON over keep-alive connections. Uses node:http because fetch's streams cost more than
 * parsing the answer.
 */
export function createHttpPost(options: HttpPostOptions): HttpPost {
  const { url, timeoutMs } = options
  const isTls = url.protocol === 'https:'
  const agent = isTls
    ? new HttpsAgent({ keepAlive: true, maxSockets: socketsMax })
    : new HttpAgent({ keepAlive: true, maxSockets: socketsMax, noDelay: true })
  const start = isTls ? requestHttps : requestHttp

  const post: HttpPost['post'] = (body, { method, bytesMax }, signal) => {
    return new Promise<HttpAnswer>((resolve, reject) => {
      const fail = (kind: RpcError['kind'], detail: string) => {
        reject(new RpcError({ kind, method, endpoint: options.source, detail }))
        request.destroy()
      }
      const request = start(url, {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'accept-encoding': 'gzip',
        },
      })
      const timer = setTimeout(() => fail('timeout', `No answer in ${timeoutMs} ms`), timeoutMs)
      const onAbort = () => fail('aborted', 'No longer wanted')
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      request.once('close', settle)
      request.once('error', (error) => fail('unreachable', error.message))
      request.once('response', (response) => {
        const status = response.statusCode!
        const settled = { status, retryAfterMs: retryAfterMs(response) }
        readText(response, bytesMax).then(
          (text) => {
            if (hasTooManyValues(text)) fail('responseTooLarge', tooManyValues)
            else resolve({ ...settled, text })
          },
          (error: unknown) => {
            if (!(error instanceof TooManyBytes)) return fail('unreachable', String(error))
            if (status === 200) return fail('responseTooLarge', `Limit: ${bytesMax} bytes`)
            // The status is sufficient; the body is usually a page of HTML.
            resolve({ ...settled, text: '' })
            request.destroy()
          },
        )
      })
      if (signal?.aborted) onAbort()
      else request.end(body)
    })
  }

  return { post, close: () => agent.destroy() }
}

class TooManyBytes extends RangeError {}

async function readText(response: IncomingMessage, bytesMax: number): Promise<string> {
  const isGzip = response.headers['content-encoding'] === 'gzip'
  const stream: Readable = isGzip ? response.pipe(createGunzip()) : response
  if (isGzip) response.once('error', (error) => stream.destroy(error))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bytesMax) {
        reject(new TooManyBytes())
        stream.destroy()
      } else chunks.push(chunk)
    })
    stream.once('end', () => resolve(textOf(Buffer.concat(chunks))))
    stream.once('error', reject)
    // A peer that disconnects during the answer ends the stream without `end` or `error`.
    stream.once('close', () =>
      reject(new RangeError('The connection closed before the answer ended')),
    )
  })
}

/**
 * Decodes a body. Nodes almost always answer in ASCII, which needs no UTF-8 decoding: half the time
 * for large answers.
 */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}

// Smaller answers cost little, whatever they contain.
const uncheckedCharsMax = 1_048_576
// Blocks, logs and accounts have at most one list or object per 30 bytes. `[[[[` takes 29 times its
// size once parsed, and half a second per million.
const charsPerValueMin = 16

const tooManyValues = `Limit: a list or object in ${charsPerValueMin} characters`

/** Returns true if the parsed answer would take much more memory than its text. */
function hasTooManyValues(text: string): boolean {
  if (text.length <= uncheckedCharsMax) return false
  let left = text.length / charsPerValueMin
  for (const opener of ['[', '{'])
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) {
      left -= 1
      if (left < 0) return true
    }
  return false
}

// A node that asks for hours of silence is handled by failover instead.
const retryAfterMsMax = 60_000

function retryAfterMs(response: IncomingMessage): number | undefined {
  const seconds = Number(response.headers['retry-after'])
  return seconds > 0 ? Math.min(seconds * 1_000, retryAfterMsMax) : undefined
}
