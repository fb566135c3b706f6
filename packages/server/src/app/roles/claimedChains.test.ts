import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { claimedChainsOf } from './claimedChains.ts'

test('behavior: writes the id of a new local chain to a file that only its user can read', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'chaintape-claims-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { config } = loadConfig({ env: {} })
  const claims = await claimedChainsOf({ ...config, data_dir: dataDir })
  expect(claims[0]?.claim).toMatch(/^local:[\w-]{36}$/)
  const modes = ['devnet', 'devnet/id'].map(async (name) => (await stat(join(dataDir, name))).mode)
  expect((await Promise.all(modes)).map((mode) => mode & 0o077)).toEqual([0, 0])
})
