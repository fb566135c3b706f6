// Files that a command loads, read from their imports: a command starts quickly because it loads
// little.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const imports =
  /^(?:import|export)\s(?!type\b)[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm

/**
 * Files and packages loaded before any of the given ones runs, without types and dynamic imports.
 */
function loadedBy(...first: string[]): { files: string[]; packages: string[] } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const waiting = first.map((path) => join(root, path))
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue
    expect(existsSync(file), file).toBe(true)
    files.add(file)
    for (const [, named, bare] of readFileSync(file, 'utf8').matchAll(imports)) {
      const specifier = (named ?? bare)!
      if (specifier.startsWith('.')) waiting.push(resolve(dirname(file), specifier))
      else if (!specifier.startsWith('node:')) packages.add(specifier)
    }
  }
  return { files: [...files].map((file) => relative(root, file)), packages: [...packages].sort() }
}

/** Loaded before the command line is parsed. */
const always = ['main.ts', 'cli/runCli.ts', 'cli/context.ts']

test('default: --version and --help only load the command-line parser', () => {
  const { files, packages } = loadedBy(...always)
  expect(packages).toEqual(['commander'])
  const folders = new Set(files.map((file) => file.split('/')[0]))
  expect([...folders].sort()).toEqual(['cli', 'lib', 'main.ts', 'store'])
  expect(files.filter((file) => file.startsWith('store/'))).toEqual(['store/errors.ts'])
})

// Slow to load and not needed to read a config or a key.
const slow = ['viem', 'viem/utils', 'typebox', 'typebox/value', 'prom-client', 'ws']

test.each([
  ['keys', ['cli/commands/keys.ts', 'ops/openKeys.ts']],
  ['status', ['cli/commands/status.ts', 'ops/readStoredStatus.ts']],
  ['config', ['cli/commands/config.ts']],
])('behavior: %s loads no decoder, no engine and nothing slow', (_, ofCommand) => {
  const { files, packages } = loadedBy(...always, ...ofCommand)
  expect(packages.filter((name) => slow.includes(name))).toEqual([])
  expect(files.filter((file) => /^(chain|decode|resolve\/evm|engine|risk)\//.test(file))).toEqual(
    [],
  )
})

test('behavior: keys loads only the tables of keys from the store', () => {
  const { files } = loadedBy(...always, 'cli/commands/keys.ts', 'ops/openKeys.ts')
  expect(files).toContain('store/keys/openKeyStore.ts')
  expect(files.filter((file) => /^(log|store\/(read|write|backup|export))\//.test(file))).toEqual(
    [],
  )
})

test('behavior: start loads everything', () => {
  const { packages } = loadedBy(...always, 'cli/commands/start.ts', 'app/startApp.ts')
  expect(packages).toEqual(expect.arrayContaining(['prom-client', 'ws']))
})
