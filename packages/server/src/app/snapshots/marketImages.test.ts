import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { removeMarketImages, removeUnusedImages, writeMarketImage } from './marketImages.ts'

function createDirectory(files: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'images-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const file of files) writeFileSync(join(directory, file), '')
  const logger = { info: vi.fn(), warn: vi.fn() }
  return {
    directory,
    logger,
    files: () => readdirSync(directory).sort(),
    remove: (chains: readonly string[], chainIds: readonly number[] = [], from = directory) =>
      removeUnusedImages(
        from,
        { names: new Set(chains), chainIds: new Set(chainIds) },
        logger as unknown as Logger,
      ),
  }
}

const kept = ['base.1.9-0a.image', 'eth.2.12-a1b2.image', 'eth.2.unfinished-9.image']
// The first file's chain is not configured, the second's is no longer stored.
const foreign = ['bsc.3.7-ff00.image', 'bsc.3.unfinished-9.image', 'eth-old.2.3-c0.image']
const dropped = ['eth.4.12-a1b2.image']

test('default: removes images that no chain uses, unfinished ones too', async () => {
  const { remove, files, logger } = createDirectory([...kept, ...foreign, ...dropped])
  await remove(['eth', 'base'], [1, 2, 3])
  expect(files()).toEqual(kept)
  expect(logger.info.mock.calls.map(([line]) => line.file).sort()).toEqual(
    [...foreign, ...dropped].sort(),
  )
})

test('behavior: leaves other files alone', async () => {
  const others = [
    '.7-ff.image',
    'bsc.7-ff.image',
    'bsc.unfinished.image',
    'bsc.3.7-ff.image.old',
    'bsc.7.image',
    'bsc.image',
    'bsc.x-ff.image',
    'bsc-pairs-12-0-3.pages',
    'picture.image',
  ]
  const { remove, files } = createDirectory(others)
  await remove([])
  expect(files()).toEqual(others.sort())
})

test('behavior: keeps images of a chain and its backfill apart', async () => {
  const { directory, files, logger } = createDirectory([])
  const profile = { name: 'eth', paging: { directory, bytesMax: 1 } } as ChainProfile
  const write = async (chainId: number, seq: number) => {
    const owner = { chainId, profile }
    const image = await writeMarketImage(owner, [Buffer.of(1)], logger as unknown as Logger)
    await image!.publish({ seq, digest: 'ab' })
  }
  await write(1, 10)
  await write(2, 5)
  await write(2, 6)
  expect(files()).toEqual(['eth.1.10-ab.image', 'eth.2.6-ab.image'])
  await removeMarketImages({ chainId: 1, profile }, logger as unknown as Logger)
  expect(files()).toEqual(['eth.2.6-ab.image'])
})

test('edge: the directory does not exist', async () => {
  const { directory, remove, logger } = createDirectory([])
  await remove([], [], join(directory, 'none'))
  expect(logger.warn).not.toHaveBeenCalled()
})

test('error: logs an unreadable directory and continues', async () => {
  const { directory, remove, logger } = createDirectory(['file'])
  await remove([], [], join(directory, 'file'))
  expect(logger.warn).toHaveBeenCalledTimes(1)
})
