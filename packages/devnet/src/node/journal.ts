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
  path: string
  /** Kept from earlier runs, oldest first. */
  records: readonly JournalRecord[]
  append(records: readonly JournalRecord[]): void
  /** Starts over with an empty file. */
  wipe(): void
  close(): void
}

export type PlacedRecord = {
  record: JournalRecord
  /** Where it ends in the file. */
  endByte: number
}

/** Opens or creates the file; a torn last line is cut off. Records before a byte, which begins one, are left out. */
export function openJournal(path: string, fromByte = 0): Journal {
  mkdirSync(dirname(path), { recursive: true })
  const text = existsSync(path) ? readFileSync(path, 'latin1') : ''
  const length = text.lastIndexOf('\n') + 1
  // Before anything is changed: the file may be of a newer version.
  const records = decodeLines(text, fromByte).map(({ record }) => record)
  const fd = openSync(path, 'a')
  if (length < text.length) ftruncateSync(fd, length)
  let isOpen = true
  return {
    path,
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

/** What is in the file behind a byte, which ends a record. It may be written to meanwhile: a torn last line is left out. */
export function readJournal(path: string, fromByte = 0): PlacedRecord[] {
  return decodeLines(readFileSync(path, 'latin1'), fromByte)
}

export function removeJournal(path: string): void {
  rmSync(path, { force: true })
}

function decodeLines(text: string, fromByte: number): PlacedRecord[] {
  const placed: PlacedRecord[] = []
  const length = text.lastIndexOf('\n') + 1
  assertKnown(text.slice(0, text.indexOf('\n') + 1))
  for (let start = fromByte; start < length; ) {
    const end = text.indexOf('\n', start)
    const record = decodeRecord(text.slice(start, end))
    if (record === undefined) {
      const line = text.slice(0, end).split('\n').length
      throw new DevnetError(
        'DEVNET_JOURNAL_BROKEN',
        `Line ${line} of the local chain's journal cannot be read.`,
      )
    }
    placed.push({ record, endByte: end + 1 })
    start = end + 1
  }
  return placed
}

/** The first line says it, and is read by every version; those that follow may not be. */
function assertKnown(firstLine: string): void {
  const first = decodeRecord(firstLine.trimEnd())
  if (first?.type !== 'genesis' || first.format <= journalFormat) return
  const { format } = first
  throw new DevnetError(
    'DEVNET_JOURNAL_TOO_NEW',
    `The local chain's journal has format ${format}, the newest known here is ${journalFormat}. ` +
      'Start the newer version again, or use another data directory. Nothing was changed.',
  )
}
