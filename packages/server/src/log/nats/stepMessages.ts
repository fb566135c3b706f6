import { LogEntryCorruptError, LogEntryTooNewError, LogFromPrereleaseError } from '../errors.ts'
import type { LogAppend, LogRow } from '../log.ts'

/** A step in a stream, with everything a store needs to take it over. */
export type StreamedStep = Pick<LogAppend, 'entries'> & {
  /** Further data of the step's writer; may be empty. */
  carried: Uint8Array
}

/** Content of a message's header, without its payload. */
export type MessageHeader = {
  /** Sequence of the newest entry that is complete with this message. */
  lastSeq: number
  part: number
  /** 0 if it has no entry and only names the new writer. */
  parts: number
  /** Unix seconds of the block. */
  timeS: number
}

export const messageHeaderName = 'Chaintape-Step'
/** The header of messages from before 1.0.0. */
const unreleasedHeader = 'Chaintape-Place'
/** First value of every header. A change takes the next number and keeps reading earlier ones. */
const messageVersion = 1

export function encodeMessageHeader({ lastSeq, part, parts, timeS }: MessageHeader): string {
  return `${messageVersion} ${lastSeq} ${part}/${parts} ${timeS}`
}

const placeForm = /^(\d+) (\d+) (\d+)\/(\d+) (\d+)$/

/** Reads the place from the headers of a message in `stream`. */
export function messageHeaderOf(
  headers: { get(name: string): string } | undefined,
  stream: string,
): MessageHeader {
  const text = headers?.get(messageHeaderName) ?? ''
  if (text === '' && headers?.get(unreleasedHeader)) throw new LogFromPrereleaseError({ stream })
  return decodePlace(text)
}

function decodePlace(text: string): MessageHeader {
  const version = Number.parseInt(text, 10)
  if (version > messageVersion)
    throw new LogEntryTooNewError({ found: version, known: messageVersion })
  const numbers = placeForm.exec(text)?.slice(2).map(Number)
  if (numbers === undefined) throw new LogEntryCorruptError({ offset: 0, reason: 'its header' })
  const [lastSeq, part, parts, timeS] = numbers as [number, number, number, number]
  return { lastSeq, part, parts, timeS }
}

type RowHead = Pick<LogRow, 'type' | 'ref'> & { bytes: number; undo: number | null }

const lengthBytes = 4

/** The rows of a step one after another, behind their offsets. */
export function encodeStep({ entries, carried }: StreamedStep): Uint8Array {
  const heads = entries.map(
    ({ type, ref, bytes, undo }): RowHead => ({
      type,
      ref,
      bytes: bytes.length,
      undo: undo?.length ?? null,
    }),
  )
  const head = Buffer.from(JSON.stringify(heads))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(head.length)
  const rows = entries.flatMap(({ bytes, undo }) => (undo === null ? [bytes] : [bytes, undo]))
  return Buffer.concat([length, head, ...rows, carried])
}

function decodeStep(payload: Uint8Array): StreamedStep {
  const buffer = Buffer.from(payload.buffer, payload.byteOffset, payload.length)
  const headEnd = lengthBytes + buffer.readUInt32BE(0)
  let end = headEnd
  const take = (count: number) => {
    end += count
    if (end > buffer.length)
      throw new LogEntryCorruptError({ offset: buffer.length, reason: 'it ends too early' })
    return buffer.subarray(end - count, end)
  }
  const heads = JSON.parse(buffer.toString('utf8', lengthBytes, headEnd)) as RowHead[]
  const entries = heads.map(({ type, ref, bytes, undo }) => ({
    type,
    ref,
    bytes: take(bytes),
    undo: undo === null ? null : take(undo),
  }))
  return { entries, carried: buffer.subarray(end) }
}

/** Splits a payload into pieces that servers accept, at least one. */
export function splitPayload(payload: Uint8Array, bytesMax: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at === 0 || at < payload.length; at += bytesMax)
    parts.push(payload.subarray(at, at + bytesMax))
  return parts
}

/** Reassembles steps from the messages of a stream. */
export class StepJoiner {
  #parts: Uint8Array[] = []

  /** The step that is complete with this message; null if none is. */
  put({ part, parts }: MessageHeader, bytes: Uint8Array): StreamedStep | null {
    // The writer of the earlier parts was replaced before it finished: its step does not exist.
    if (part === 0) this.#parts = []
    // The step's first parts were dropped.
    if (parts === 0 || part !== this.#parts.length) return null
    this.#parts.push(bytes)
    return this.#parts.length === parts ? decodeStep(Buffer.concat(this.#parts.splice(0))) : null
  }
}
