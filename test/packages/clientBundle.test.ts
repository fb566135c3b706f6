// Size of the bundle that a page loads for a program that uses the client, without unused parts.
// This is not a unit test: esbuild is a separate process, and the unit tests' process may have
// reserved too much memory to fork.
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const packages = resolve(import.meta.dirname, '../../packages')

async function bundleOf(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: resolve(packages, 'client/src'), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    // Bundles the sources, so that no build is needed before.
    alias: { '@chaintape/protocol': resolve(packages, 'protocol/src/index.ts') },
  })
  return outputFiles[0]!.text
}

const gzipped = (text: string) => gzipSync(text).length

test('default: REST alone is under 6 kB, without descriptions of the protocol', async () => {
  const text = await bundleOf(
    `import { createRest } from './index.ts'; globalThis.r = createRest()`,
  )
  expect(gzipped(text)).toBeLessThan(6_000)
  expect(gzipped(text)).toBeGreaterThan(1_000)
  expect(text).not.toContain('The request carries no API key')
})

test('default: the whole client is under 15 kB', async () => {
  const text = await bundleOf(`import * as all from './index.ts'; globalThis.all = { ...all }`)
  expect(gzipped(text)).toBeLessThan(15_000)
})
