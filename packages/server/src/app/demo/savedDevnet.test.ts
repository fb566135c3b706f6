import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { loadSavedDevnet, nextStoreName, saveDevnet } from './savedDevnet.ts'

let dataDir = ''

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chaintape-saved-'))
})

afterEach(() => rm(dataDir, { recursive: true, force: true }))

const saved = {
  profile: generatorProfile,
  storeName: 'local@0123456789ab',
  retired: ['local@earlier'],
}

test('default: loads the newest saved chain', async () => {
  await saveDevnet(dataDir, { ...saved, storeName: 'local@before' })
  await saveDevnet(dataDir, saved)
  expect(await loadSavedDevnet(dataDir)).toEqual(saved)
  expect(await readdir(join(dataDir, 'devnet'))).toEqual(['served.json'])
})

test('behavior: hides the files from other users, in existing folders too', async () => {
  const dir = join(dataDir, 'devnet')
  await mkdir(dir, { mode: 0o755 })
  await saveDevnet(dataDir, saved)
  const modes = [dir, join(dir, 'served.json')].map(async (path) => (await stat(path)).mode & 0o777)
  expect(await Promise.all(modes)).toEqual([0o700, 0o600])
})

test('behavior: returns null if nothing was saved', async () => {
  expect(await loadSavedDevnet(dataDir)).toBe(null)
})

test('behavior: returns null for an unreadable file', async () => {
  await saveDevnet(dataDir, saved)
  for (const text of ['', '{"profile":', 'null', '[]', '{}', '{"storeName":7,"profile":{}}']) {
    await writeFile(join(dataDir, 'devnet', 'served.json'), text)
    expect(await loadSavedDevnet(dataDir), text).toBe(null)
  }
})

test('behavior: gives a chain a new store name each time it is indexed again', () => {
  const name = 'local@0123456789ab'
  const second = nextStoreName(name, { storeName: name })
  expect(second).toBe('local@0123456789ab.1')
  expect(nextStoreName(name, { storeName: second })).toBe('local@0123456789ab.2')
})
