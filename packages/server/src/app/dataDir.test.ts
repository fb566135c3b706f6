import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataDirId, readDataDirId } from './dataDir.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'data-dir-id-'))
})

afterEach(() => rm(dataDir, { recursive: true }))

test('default: keeps the id of the first start', async () => {
  expect(await readDataDirId(dataDir)).toBe(null)
  const id = await openDataDirId(dataDir)
  expect(id).toMatch(/^[\w-]{22}$/)
  expect([await openDataDirId(dataDir), await readDataDirId(dataDir)]).toEqual([id, id])
})

test('behavior: services that start at the same moment use the same id', async () => {
  await Promise.all([openDataDirId(dataDir), openDataDirId(dataDir)])
  const id = await readDataDirId(dataDir)
  expect(id).not.toBe(null)
  expect(await openDataDirId(dataDir)).toBe(id)
})

test('error: the data directory does not exist', async () => {
  await expect(openDataDirId(join(dataDir, 'none'))).rejects.toThrow('none')
})
