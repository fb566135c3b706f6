import type { Push } from './push.ts'

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

export type TextPushParts = {
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
