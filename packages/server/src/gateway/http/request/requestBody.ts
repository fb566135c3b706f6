import type { IncomingMessage } from 'node:http'
import { RequestError } from '../../errors.ts'

/** `bytes` are null when there is a fault. */
export type BodyDone = (fault: RequestError | null, bytes: Uint8Array | null) => void

/** Gathers the bytes of a request's body. Whoever goes away meanwhile is answered nothing. */
export function readRequestBody(request: IncomingMessage, bytesMax: number, done: BodyDone): void {
  // Those that are announced as too long are not read at all.
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

export function bodyTooLarge(): RequestError {
  return new RequestError('body_too_large', 'The request body is over the size limit.', 'body')
}
