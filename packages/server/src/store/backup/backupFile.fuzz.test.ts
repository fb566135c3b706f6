import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { AppError } from '../../lib/errors.ts'
import { migrations } from '../schema.ts'
import { type BackupHeader, backupFormat, encodeLine, encodePart, firstLineOf } from './format.ts'
import { openBackup } from './readBackup.ts'
import { writeBackupFile } from './writeBackup.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chaintape-backup-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const header: BackupHeader = {
  version: '1.2.3',
  createdAt: '2026-01-01T00:00:00.000Z',
  postgres: '18.4',
  schema: migrations.length,
  chains: [],
  tables: [],
  identities: [],
}
const { signal } = new AbortController()
let files = 0
const newPath = () => join(folder, `${++files}.ctb`)

async function* contentOf(parts: readonly Buffer[][], format = backupFormat, head = header) {
  yield encodeLine(firstLineOf(format))
  yield encodeLine(head)
  for (const [at, pieces] of parts.entries()) {
    const part = { type: 'rows', table: `table${at}`, day: null } as const
    yield* encodePart(
      part,
      (async function* () {
        yield* pieces
      })(),
      async () => at,
    )
  }
  yield encodeLine({ type: 'end', parts: parts.length })
}

async function write(parts: readonly Buffer[][], format?: number, head?: BackupHeader) {
  const path = newPath()
  await writeBackupFile(path, contentOf(parts, format, head), signal)
  return path
}

const digestOf = (pieces: readonly Buffer[]) =>
  createHash('sha256').update(Buffer.concat(pieces)).digest('hex')

/** Reads rows and digests of all parts to the end. */
async function read(path: string): Promise<string[]> {
  const backup = await openBackup(path)
  try {
    const parts: string[] = []
    for await (const part of backup.parts()) {
      const pieces: Buffer[] = []
      for await (const piece of part.pieces()) pieces.push(Buffer.from(piece))
      parts.push(`${part.rowCount()} ${digestOf(pieces)}`)
    }
    return parts
  } finally {
    backup.close()
  }
}

const anyParts = fc.array(
  fc.array(
    fc.uint8Array({ maxLength: 40_000 }).map((bytes) => Buffer.from(bytes)),
    { maxLength: 4 },
  ),
  { maxLength: 4 },
)
const textOf = (parts: readonly Buffer[][]) =>
  parts.map((pieces, at) => `${at} ${digestOf(pieces)}`)

test('behavior: what was written is read', async () => {
  await fc.assert(
    fc.asyncProperty(anyParts, async (parts) => {
      expect(await read(await write(parts))).toEqual(textOf(parts))
    }),
    { numRuns: propertyRuns(60) },
  )
})

/** Error code of a refused backup, or its content. */
async function outcomeOf(bytes: Uint8Array): Promise<string | string[]> {
  const path = newPath()
  writeFileSync(path, bytes)
  try {
    return await read(path)
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

// Nothing in it repeats, so bytes copied from another place always change the content.
const numbers = Array.from({ length: 300 }, (_, at) => `${at * 7_919}\n`).join('')
const parts = [[Buffer.from('one\n'), Buffer.from('two\n')], [], [Buffer.from(numbers)]]
// Unchecked bytes in the head of a gzip stream: time, level and system.
const idleBytes = 6

test('error: a file that ends too early is refused, wherever it ends', async () => {
  const whole = readFileSync(await write(parts))
  for (let length = 0; length < whole.length; length += 1)
    expect(await outcomeOf(whole.subarray(0, length)), `${length} bytes`).toBe('BACKUP_DAMAGED')
})

test('error: a file with a changed byte is refused, or its content is what it was', async () => {
  const whole = readFileSync(await write(parts))
  let refused = 0
  for (let at = 0; at < whole.length; at += 1) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 0xff
    const outcome = await outcomeOf(changed)
    if (Array.isArray(outcome)) expect(outcome, `byte ${at}`).toEqual(textOf(parts))
    else {
      expect(['BACKUP_DAMAGED', 'BACKUP_INVALID', 'BACKUP_TOO_NEW']).toContain(outcome)
      refused += 1
    }
  }
  expect(refused).toBe(whole.length - idleBytes)
})

test('error: content that was changed and compressed again is refused', async () => {
  const content = gunzipSync(readFileSync(await write(parts)))
  const at = content.indexOf('two\n')
  content.write('2wo\n', at)
  expect(await outcomeOf(gzipSync(content))).toBe('BACKUP_DAMAGED')
  const cut = content.subarray(0, content.lastIndexOf('\n', content.length - 2) + 1)
  expect(await outcomeOf(gzipSync(cut))).toBe('BACKUP_DAMAGED')
})

test('error: what is no backup', async () => {
  for (const text of ['', 'x', '{}', 'chaintape backup 1\n{}'])
    expect(await outcomeOf(Buffer.from(text))).toMatch(/^BACKUP_(INVALID|DAMAGED)$/)
  for (const text of ['tarball'.repeat(100), 'a line\nanother\n'])
    expect(await outcomeOf(gzipSync(text))).toBe('BACKUP_INVALID')
})

test('error: a newer schema and a newer format are named, with those known here', async () => {
  const schema = migrations.length + 3
  const newer = await write([], backupFormat, { ...header, schema, version: '9.0.0' })
  await expect(read(newer)).rejects.toMatchObject({
    code: 'BACKUP_TOO_NEW',
    meta: expect.arrayContaining([
      `Written by: version 9.0.0, schema ${schema}`,
      `Newest known here: schema ${migrations.length}`,
    ]),
  })
  await expect(read(await write([], backupFormat + 1))).rejects.toMatchObject({
    code: 'BACKUP_TOO_NEW',
    meta: expect.arrayContaining([`Newest known here: backup format ${backupFormat}`]),
  })
})

test('behavior: a backup that fails or is stopped leaves no file', async () => {
  const before = readdirSync(folder)
  async function* failing() {
    yield encodeLine('begun')
    throw new AppError('TEST', 'The database is gone.')
  }
  await expect(writeBackupFile(newPath(), failing(), signal)).rejects.toMatchObject({
    code: 'TEST',
  })
  const stop = new AbortController()
  async function* stopped() {
    yield encodeLine('begun')
    stop.abort()
    yield encodeLine('more')
  }
  await expect(writeBackupFile(newPath(), stopped(), stop.signal)).rejects.toMatchObject({
    code: 'BACKUP_STOPPED',
  })
  expect(readdirSync(folder)).toEqual(before)
})
