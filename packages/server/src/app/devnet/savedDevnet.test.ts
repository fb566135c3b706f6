import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { loadSavedDevnet, nextNameOf, saveDevnet, storedNameOf } from './savedDevnet.ts'

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

test('default: gives back what was saved, the newest', async () => {
  await saveDevnet(dataDir, { ...saved, storeName: 'local@before' })
  await saveDevnet(dataDir, saved)
  expect(await loadSavedDevnet(dataDir)).toEqual(saved)
  expect(await readdir(join(dataDir, 'devnet'))).toEqual(['served.json'])
})

test('behavior: other users of the machine read nothing, also where they could before', async () => {
  const dir = join(dataDir, 'devnet')
  await mkdir(dir, { mode: 0o755 })
  await saveDevnet(dataDir, saved)
  const modes = [dir, join(dir, 'served.json')].map(async (path) => (await stat(path)).mode & 0o777)
  expect(await Promise.all(modes)).toEqual([0o700, 0o600])
})

test('behavior: what an earlier version did not know of has a default', async () => {
  const { lockers: _, ...profile } = generatorProfile
  await saveDevnet(dataDir, { ...saved, profile: profile as typeof generatorProfile })
  expect((await loadSavedDevnet(dataDir))?.profile).toEqual({ ...profile, lockers: [] })
})

test('behavior: venues are read by the word that an earlier version had for them', async () => {
  const venues = [{ address: '0xfac', venue: 'uniswapV2', amm: 'uniswapv2' }]
  const { venues: _, ...profile } = generatorProfile
  const earlier = { ...profile, factories: venues } as unknown as typeof generatorProfile
  await saveDevnet(dataDir, { ...saved, profile: earlier })
  expect((await loadSavedDevnet(dataDir))?.profile).toEqual({ ...profile, venues })
})

test('behavior: nothing saved is null', async () => {
  expect(await loadSavedDevnet(dataDir)).toBe(null)
})

test('behavior: what cannot be read is as if nothing were saved', async () => {
  await saveDevnet(dataDir, saved)
  for (const text of ['', '{"profile":', 'null', '[]', '{}', '{"storeName":7,"profile":{}}']) {
    await writeFile(join(dataDir, 'devnet', 'served.json'), text)
    expect(await loadSavedDevnet(dataDir), text).toBe(null)
  }
})

test('behavior: a chain that is stored again has a new name, and keeps it', () => {
  const [name, other] = ['local@0123456789ab', 'local@ba9876543210']
  const first = { storeName: name }
  expect(storedNameOf(name, null)).toBe(name)
  expect(storedNameOf(name, first)).toBe(name)
  const second = { storeName: nextNameOf(name, first) }
  expect(second.storeName).toBe('local@0123456789ab.1')
  expect(storedNameOf(name, second)).toBe(second.storeName)
  expect(nextNameOf(name, second)).toBe('local@0123456789ab.2')
  // A fresh chain has a name of its own.
  expect(storedNameOf(other, second)).toBe(other)
})
