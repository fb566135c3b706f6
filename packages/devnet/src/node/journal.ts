import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DevnetError } from '../errors.ts'
import { decodeRecord, encodeRecord, type JournalRecord, journalFormat } from './journalRecord.ts'

/**
 * All that ever changed the chain, in order, so that a restart can do it again. Append only: a record
 * is written before it is carried out, so a killed process never loses a block that somebody saw.
 */
export type Journal = {
  /** Kept from earlier runs, oldest first. */
  records: readonly JournalRecord[]
  append(records: readonly JournalRecord[]): void
  /** Starts over with an empty file. */
  wipe(): void
  close(): void
}

/** Opens or creates the file; a torn last line is cut off. */
export function openJournal(path: string): Journal {
  mkdirSync(dirname(path), { recursive: true })
  const text = existsSync(path) ? readFileSync(path, 'latin1') : ''
  const length = text.lastIndexOf('\n') + 1
  // Before anything is changed: the file may be of a newer version.
  const records = decodeLines(text, length)
  const fd = openSync(path, 'a')
  if (length < text.length) ftruncateSync(fd, length)
  let isOpen = true
  return {
    records,
    append(added) {
      if (isOpen) writeSync(fd, added.map((record) => `${encodeRecord(record)}\n`).join(''))
    },
    wipe() {
      ftruncateSync(fd, 0)
    },
    close() {
      if (!isOpen) return
      isOpen = false
      fsyncSync(fd)
      closeSync(fd)
    },
  }
}

export function removeJournal(path: string): void {
  rmSync(path, { force: true })
}

function decodeLines(text: string, length: number): JournalRecord[] {
  const records: JournalRecord[] = []
  for (let start = 0; start < length; ) {
    const end = text.indexOf('\n', start)
    const record = decodeRecord(text.slice(start, end))
    if (record === undefined)
      throw new DevnetError(
        'DEVNET_JOURNAL_BROKEN',
        `Line ${records.length + 1} of the local chain's journal cannot be read.`,
      )
    if (start === 0 && record.type === 'genesis') assertKnown(record.format)
    records.push(record)
    start = end + 1
  }
  return records
}

/** The first line says it, and is read by every version; those that follow may not be. */
function assertKnown(format: number): void {
  if (format <= journalFormat) return
  throw new DevnetError(
    'DEVNET_JOURNAL_TOO_NEW',
    `The local chain's journal has format ${format}, the newest known here is ${journalFormat}. ` +
      'Start the newer version again, or use another data directory. Nothing was changed.',
  )
}
