import { type ErrorCode, errorSpecs } from '@chaintape/protocol'
import type { PushPosition } from '../chain/recentBlock.ts'

/** Id of a JSON-RPC request, repeated in the pushes of its subscription. */
export type RpcId = number | string

/**
 * A message encoded once for all its subscribers. Each is sent `{"id":`, the id of its request, and
 * one of the two encodings here.
 */
export type Push = {
  /**
   * Everything from the comma after the id to the closing brace, byte for byte as the API documents
   * it.
   */
  readonly plain: Buffer
  /**
   * The plain form with `cursor`, `block_time` and `received_time` added, for requests with
   * options. Encoded on first use.
   */
  detailed(): Buffer
  /**
   * In the queue of a slow client a newer push replaces an older one with the same key. Null: the
   * push is never replaced.
   */
  readonly conflateKey: string | null
  /** Cursor from which a client that missed this push resumes. */
  readonly cursor: string
}

type TextPushParts = {
  /** The JSON-RPC result object of the push, as JSON text. */
  result: string
  place: PushPosition
  /** Value of `sent_time`; null: the message has no `sent_time`. */
  sentMs: number | null
  conflateKey: string | null
}

/** A push built from the JSON text of its result. Each form is encoded once, on first use. */
export class TextPush implements Push {
  readonly conflateKey: string | null
  readonly cursor: string
  readonly #parts: TextPushParts
  #plainBytes: Buffer | null = null
  #detailedBytes: Buffer | null = null

  constructor(parts: TextPushParts) {
    this.#parts = parts
    this.conflateKey = parts.conflateKey
    this.cursor = parts.place.cursorBefore
  }

  get plain(): Buffer {
    this.#plainBytes ??= Buffer.from(
      `,"jsonrpc":"2.0","result":${this.#parts.result}${sentText(this.#parts.sentMs)}}`,
    )
    return this.#plainBytes
  }

  detailed(): Buffer {
    if (this.#detailedBytes !== null) return this.#detailedBytes
    const { result, place, sentMs } = this.#parts
    const { cursor, blockTimeS, receivedMs } = place
    const where = cursor === '' ? 'null' : JSON.stringify(cursor)
    this.#detailedBytes = Buffer.from(
      `,"jsonrpc":"2.0","result":${result},"cursor":${where},"block_time":${blockTimeS},"received_time":${receivedMs}${sentText(sentMs)}}`,
    )
    return this.#detailedBytes
  }
}

function sentText(sentMs: number | null): string {
  return sentMs === null ? '' : `,"sent_time":${sentMs}`
}

/** An error message sent after the acknowledgement: the subscription has ended. */
export function errorPush(
  code: ErrorCode,
  message: string,
  { cursor, param }: { cursor: string | null; param: string },
): Push {
  const error = { code: errorSpecs[code].rpcCode, message, data: { code, param, cursor } }
  const bytes = Buffer.from(`,"jsonrpc":"2.0","error":${JSON.stringify(error)}}`)
  return { plain: bytes, detailed: () => bytes, conflateKey: null, cursor: cursor ?? '' }
}
