import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SnapshotFile } from './marketFiles.ts'

const directory = mkdtempSync(join(tmpdir(), 'snapshot-'))
afterAll(() => rmSync(directory, { recursive: true }))

const parts = [[1, 2, 3, 4], [5], [], [6, 7]].map((bytes) => Uint8Array.from(bytes))

test.each([
  ['default: parts of any length come back, in any order', 'there'],
  ['error: where no file can be made they are held', 'file'],
])('%s', (_, place) => {
  writeFileSync(join(directory, 'file'), '')
  const file = new SnapshotFile(join(directory, place), 'test')
  for (const part of parts) file.push(part)
  expect(file.count).toBe(4)
  for (const index of [3, 0, 2, 1, 0]) {
    expect(file.lengthOf(index)).toBe(parts[index]!.length)
    expect([...file.part(index)]).toEqual([...parts[index]!])
  }
  // The file has no name.
  if (place === 'there') expect(readdirSync(join(directory, place))).toEqual([])
})
