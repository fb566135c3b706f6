// One version: manifests, changelog and docs agree. `chaintape --version` prints the
// manifest's: test/packages/install.test.ts. The image's label: test/deploy.test.ts.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test.each(['client', 'devnet', 'mcp', 'protocol', 'server', 'web'])(
  'default: packages/%s has the version of the repository',
  (name) => {
    const manifest = JSON.parse(read(`packages/${name}/package.json`))
    expect(manifest.version).toBe(version)
    const locked = JSON.parse(read('package-lock.json')).packages[`packages/${name}`]
    expect(locked.version).toBe(version)
  },
)

test('behavior: the changelog begins with the version', () => {
  expect(/^## (.*)$/m.exec(read('CHANGELOG.md'))![1]).toBe(version)
})

test('behavior: the examples of the docs have the version', () => {
  const [, shown] = /"live": true, "version": "([^"]+)"/.exec(read('docs/reference/rest.md'))!
  expect(shown).toBe(version)
})
