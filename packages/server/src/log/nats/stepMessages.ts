import { LogEntryCorruptError, LogEntryTooNewError, LogUnreleasedError } from '../errors.ts'
import type { LogRow, LogStep } from '../log.ts'

/** A step as it lies in a stream, with all that a store needs to take it over. */
export type StreamedStep = Pick<LogStep, 'entries'> & {
  /** What else the writer of the step has to say of it; empty: nothing. */
  carried: Uint8Array
}

/** What the header of a message says, without a look into what it carries. */
export type MessagePlace = {
  /** Of the newest entry that is whole with this message. */
  lastSeq: number
  part: number
  /** 0: it has no entry, and only says who writes from here on. */
  parts: number
  /** Unix seconds of the block. */
  timeS: number
}

export const placeHeader = 'Chaintape-Step'
/** The header that messages from before 1.0.0 have in its place. */
const unreleasedHeader = 'Chaintape-Place'
/** First in every header. A change takes the next number and keeps reading those before. */
const messageVersion = 1

export function encodePlace({ lastSeq, part, parts, timeS }: MessagePlace): string {
  return `${messageVersion} ${lastSeq} ${part}/${parts} ${timeS}`
}

const placeForm = /^(\d+) (\d+) (\d+)\/(\d+) (\d+)$/

/** Reads the place from the headers of a message in `stream`. */
export function placeOf(
  headers: { get(name: string): string } | undefined,
  stream: string,
): MessagePlace {
  const text = headers?.get(placeHeader) ?? ''
  if (text === '' && headers?.get(unreleasedHeader)) throw new LogUnreleasedError({ stream })
  return decodePlace(text)
}

function decodePlace(text: string): MessagePlace {
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

/** Rows of a step one behind the other, behind what says where each of them is. */
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

export function decodeStep(payload: Uint8Array): StreamedStep {
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

/** Pieces that servers accept, at least one. */
export function splitPayload(payload: Uint8Array, bytesMax: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at === 0 || at < payload.length; at += bytesMax)
    parts.push(payload.subarray(at, at + bytesMax))
  return parts
}

/** Puts the messages of a stream together again. */
export class StepJoiner {
  private parts: Uint8Array[] = []

  /** The step that is whole with this message; null: there is none. */
  put({ part, parts }: MessagePlace, bytes: Uint8Array): StreamedStep | null {
    // Whoever wrote the parts before was deposed before it was done: nobody has heard of them.
    if (part === 0) this.parts = []
    // The step's first parts were let go of.
    if (parts === 0 || part !== this.parts.length) return null
    this.parts.push(bytes)
    return this.parts.length === parts ? decodeStep(Buffer.concat(this.parts.splice(0))) : null
  }
}
