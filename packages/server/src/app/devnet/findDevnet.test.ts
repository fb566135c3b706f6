import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDataDir } from '../../../../../test/support/postgres.ts'
import { findDevnet } from './findDevnet.ts'

/** The package with two parts, of which some are there. */
async function createInstall(parts: readonly string[]) {
  const modules = join(await createDataDir(), 'node_modules')
  const root = join(modules, '@chaintape', 'devnet')
  const optionalDependencies = { '@nomicfoundation/edr': '1.0.0', '@uniswap/v2-core': '1.0.0' }
  for (const name of parts) {
    await mkdir(join(modules, name), { recursive: true })
    await writeFile(join(modules, name, 'package.json'), '{}')
  }
  await mkdir(join(root, 'dist'), { recursive: true })
  await writeFile(join(root, 'package.json'), JSON.stringify({ optionalDependencies }))
  const entry = join(root, 'dist', 'index.js')
  return {
    entry,
    resolution: { entryOf: () => entry, foldersOf: () => [join(root, 'nowhere'), modules] },
  }
}

test('default: the program of this tree', () => {
  expect(findDevnet()).toMatch(/devnet\/dist\/main\.js$/)
})

test('behavior: with all of its parts', async () => {
  const { resolution } = await createInstall(['@nomicfoundation/edr', '@uniswap/v2-core'])
  expect(findDevnet(resolution)).toMatch(/devnet\/dist\/main\.js$/)
})

test('error: a part is missing', async () => {
  const { resolution } = await createInstall(['@uniswap/v2-core'])
  expect(() => findDevnet(resolution)).toThrow(
    expect.objectContaining({
      code: 'DEVNET_MISSING',
      meta: expect.arrayContaining([
        'Missing: @nomicfoundation/edr',
        expect.stringContaining('--omit=optional'),
      ]),
    }),
  )
})

test('error: the package is missing', () => {
  const entryOf = () => {
    throw new TypeError('Cannot find package')
  }
  expect(() => findDevnet({ entryOf, foldersOf: () => [] })).toThrow(
    expect.objectContaining({ code: 'DEVNET_MISSING' }),
  )
})
