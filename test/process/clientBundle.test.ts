// What a page loads: the bundle of a program that uses the client, without what it does not use. Not among the unit tests: esbuild is
// a process, and theirs may have reserved too much memory to fork.
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
    // From the sources, so that nothing has to be compiled before.
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

test('default: all of it is under 15 kB', async () => {
  const text = await bundleOf(`import * as all from './index.ts'; globalThis.all = { ...all }`)
  expect(gzipped(text)).toBeLessThan(15_000)
})
