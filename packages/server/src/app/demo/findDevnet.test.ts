import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDataDir } from '../../../../../test/support/postgres.ts'
import { findDevnet } from './devnetProcess.ts'

/** Creates an install of the package in which only some of its dependencies are present. */
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

test('default: finds the program of this workspace', () => {
  expect(findDevnet()).toMatch(/devnet\/dist\/main\.js$/)
})

test('behavior: accepts an install with all dependencies', async () => {
  const { resolution } = await createInstall(['@nomicfoundation/edr', '@uniswap/v2-core'])
  expect(findDevnet(resolution)).toMatch(/devnet\/dist\/main\.js$/)
})

test('error: names a missing dependency', async () => {
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

test('error: names the missing package', () => {
  const entryOf = () => {
    throw new TypeError('Cannot find package')
  }
  expect(() => findDevnet({ entryOf, foldersOf: () => [] })).toThrow(
    expect.objectContaining({ code: 'DEVNET_MISSING' }),
  )
})
