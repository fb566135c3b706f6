import { type ErrorCode, errorSpecs } from '@chaintape/protocol'

/** Id of a request, as JSON-RPC has it; pushes of a subscription repeat it. */
export type RpcId = number | string

/**
 * A message to subscribers, encoded once whatever their number. A subscriber's message is `{"id":`, the id of its
 * request, and one of these texts.
 */
export type Push = {
  /** From the comma after the id to the closing brace, exactly as the contract has it. */
  readonly plain: Buffer
  /** The same with `cursor`, `block_time` and `received_time`, for those who opted in; made when first asked for. */
  detailed(): Buffer
  /** A slow reader keeps only the newest of one key; null: every one must arrive. */
  readonly conflateKey: string | null
  /** Where a reader that lost this push resumes. */
  readonly cursor: string
}

/** Where and when a push came from. */
export type PushPlace = {
  /** Of the push itself: who has it resumes behind it. */
  cursor: string
  /** Before it: who lost it resumes here. */
  cursorBefore: string
  /** Null before the first block. */
  blockTimeS: number | null
  receivedMs: number | null
}

type TextPushParts = {
  /** The result object as JSON. */
  result: string
  place: PushPlace
  /** Null: the message carries no `sent_time`. */
  sentMs: number | null
  conflateKey: string | null
}

/** A push made of its result's text; each form becomes bytes when it is first asked for, and once. */
export class TextPush implements Push {
  readonly conflateKey: string | null
  readonly cursor: string
  private readonly parts: TextPushParts
  private plainBytes: Buffer | null = null
  private detailedBytes: Buffer | null = null

  constructor(parts: TextPushParts) {
    this.parts = parts
    this.conflateKey = parts.conflateKey
    this.cursor = parts.place.cursorBefore
  }

  get plain(): Buffer {
    this.plainBytes ??= Buffer.from(
      `,"jsonrpc":"2.0","result":${this.parts.result}${sentText(this.parts.sentMs)}}`,
    )
    return this.plainBytes
  }

  detailed(): Buffer {
    if (this.detailedBytes !== null) return this.detailedBytes
    const { result, place, sentMs } = this.parts
    const { cursor, blockTimeS, receivedMs } = place
    const where = cursor === '' ? 'null' : JSON.stringify(cursor)
    this.detailedBytes = Buffer.from(
      `,"jsonrpc":"2.0","result":${result},"cursor":${where},"block_time":${blockTimeS},"received_time":${receivedMs}${sentText(sentMs)}}`,
    )
    return this.detailedBytes
  }
}

function sentText(sentMs: number | null): string {
  return sentMs === null ? '' : `,"sent_time":${sentMs}`
}

/** Says, after the acknowledgement, that a subscription cannot go on. */
export function errorPush(
  code: ErrorCode,
  message: string,
  { cursor, param }: { cursor: string | null; param: string },
): Push {
  const error = { code: errorSpecs[code].rpcCode, message, data: { code, param, cursor } }
  const bytes = Buffer.from(`,"jsonrpc":"2.0","error":${JSON.stringify(error)}}`)
  return { plain: bytes, detailed: () => bytes, conflateKey: null, cursor: cursor ?? '' }
}
