import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Logger } from '../../lib/logger.ts'
import { removeForeignImages } from './marketImages.ts'

function createDirectory(files: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'images-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const file of files) writeFileSync(join(directory, file), '')
  const logger = { info: vi.fn(), warn: vi.fn() }
  return {
    directory,
    logger,
    files: () => readdirSync(directory).sort(),
    remove: (chains: readonly string[], from = directory) =>
      removeForeignImages(from, new Set(chains), logger as unknown as Logger),
  }
}

const kept = ['base.9-0a.image', 'eth.12-a1b2.image', 'eth.unfinished.image']
const foreign = ['bsc.7-ff00.image', 'bsc.unfinished.image', 'eth-old.3-c0.image']

test('default: images of chains that are not configured are removed, half written ones too', async () => {
  const { remove, files, logger } = createDirectory([...kept, ...foreign])
  await remove(['eth', 'base'])
  expect(files()).toEqual(kept)
  expect(logger.info.mock.calls.map(([line]) => line.file).sort()).toEqual(foreign)
})

test('behavior: what is named otherwise than an image is left alone', async () => {
  const others = [
    '.7-ff.image',
    'bsc.7-ff.image.old',
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

test('edge: there is no directory', async () => {
  const { directory, remove, logger } = createDirectory([])
  await remove([], join(directory, 'none'))
  expect(logger.warn).not.toHaveBeenCalled()
})

test('error: a directory that cannot be read is told of, and ends nothing', async () => {
  const { directory, remove, logger } = createDirectory(['file'])
  await remove([], join(directory, 'file'))
  expect(logger.warn).toHaveBeenCalledTimes(1)
})
