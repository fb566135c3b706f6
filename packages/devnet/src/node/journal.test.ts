import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { type JournalRecord, journalFormat } from './journalRecord.ts'

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'journal-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

const mined = (timestampS: number): JournalRecord => ({ type: 'mine', timestampS })

test('default', () => {
  const path = join(dir, 'deep', 'journal')
  const first = openJournal(path)
  expect(first.records).toEqual([])
  first.append([mined(1), mined(2)])
  first.close()
  const second = openJournal(path)
  expect(second.records).toEqual([mined(1), mined(2)])
  second.append([mined(3)])
  second.close()
  expect(readFileSync(path, 'utf8')).toBe('b,1\nb,2\nb,3\n')
})

test('behavior: a torn last line is cut off, and what follows stays whole', () => {
  const path = join(dir, 'journal')
  writeFileSync(path, 'b,1\nb,2\nt,00112233')
  const journal = openJournal(path)
  expect(journal.records).toEqual([mined(1), mined(2)])
  journal.append([mined(3)])
  journal.close()
  expect(readFileSync(path, 'utf8')).toBe('b,1\nb,2\nb,3\n')
})

test('behavior: wiped', () => {
  const path = join(dir, 'journal')
  const journal = openJournal(path)
  journal.append([mined(1)])
  journal.wipe()
  journal.append([mined(2)])
  journal.close()
  expect(readFileSync(path, 'utf8')).toBe('b,2\n')
})

test('error: a broken line in the middle', () => {
  const path = join(dir, 'journal')
  writeFileSync(path, 'b,1\nwhat\n')
  appendFileSync(path, 'b,2\n')
  expect(() => openJournal(path)).toThrowErrorMatchingInlineSnapshot(
    `[DevnetError: Line 2 of the local chain's journal cannot be read.]`,
  )
})

test('error: a journal of a newer version is refused and stays as it is', () => {
  const path = join(dir, 'journal')
  const genesis = { type: 'genesis', format: journalFormat + 1, seed: 's', genesisS: 1 }
  const text = `${JSON.stringify(genesis)}\nz,in words of its own\ntorn`
  writeFileSync(path, text)
  expect(() => openJournal(path)).toThrow(
    expect.objectContaining({
      code: 'DEVNET_JOURNAL_TOO_NEW',
      message: expect.stringContaining(
        `format ${journalFormat + 1}, the newest known here is ${journalFormat}`,
      ),
    }),
  )
  expect(readFileSync(path, 'utf8')).toBe(text)
})
