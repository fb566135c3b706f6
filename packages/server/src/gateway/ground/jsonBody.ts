import { isAscii } from 'node:buffer'
import { RequestError } from './errors.ts'

/** Content-Type of every JSON answer. */
export const jsonContentType = 'application/json; charset=utf-8'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a request body as JSON, whatever its Content-Type. */
export function parseJsonBody(bytes: Uint8Array | undefined | null): unknown {
  if (bytes === undefined || bytes === null || bytes.length === 0)
    throw new RequestError('body_invalid', 'This operation needs a JSON body.', 'body')
  try {
    // Most bodies are ASCII and need no UTF-8 decoding.
    return JSON.parse(isAscii(bytes) ? asciiText(bytes) : utf8.decode(bytes))
  } catch {
    throw new RequestError('body_invalid', 'The body is not valid JSON in UTF-8.', 'body')
  }
}

/** Returns a member of a JSON object, or undefined. Throws if the body is not an object. */
export function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new RequestError('body_invalid', 'The body must be a JSON object.', 'body')
  return Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined
}

function asciiText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
