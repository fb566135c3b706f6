// Rules for npm packages in package.json, the lock file and the docs.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

type Locked = { version?: string; hasInstallScript?: boolean }
const { packages }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'))
const locked = Object.entries(packages)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13)

test('default: no package runs an install script, and each package with one is denied by name', () => {
  const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true)
  const denied = Object.fromEntries(withScripts.map(([path]) => [nameOf(path), false]))
  expect(JSON.parse(read('package.json')).allowScripts).toEqual(denied)
})

test('default: every copy of ws limits the pongs that a peer does not read', () => {
  const versions = locked.flatMap(([path, { version = '' }]) =>
    nameOf(path) === 'ws' ? [version] : [],
  )
  expect(versions.length).toBeGreaterThan(0)
  expect(versions.filter((version) => !hasPongLimit(version))).toEqual([])
})

/** Versions of `ws` that limit pongs: 7.5.14, 8.23.0 and later. */
function hasPongLimit(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major === 7) return minor > 5 || (minor === 5 && patch >= 14)
  return major > 8 || (major === 8 && minor >= 23)
}

const isText = /\.(md|ts|tsx|js|html|yaml|service)$/
const isGenerated = /(^|\/)(node_modules|dist|static\/(terminal|docs)|\.chaintape)\//
const texts = ['docs', 'packages', 'deploy', 'examples']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  )
  .concat(readdirSync(root))
  .filter((name) => isText.test(name) && !isGenerated.test(name))

test('default: no text makes npx download a package named chaintape', () => {
  const lines = texts
    .filter((name) => !/^packages\/\w+\/README\.md$/.test(name) && name !== 'CHANGELOG.md')
    .flatMap((name) => read(name).split('\n'))
  // Outside the checkout, npx would download a package that anyone could publish under that name,
  // and that package might receive the API key. npm shows the README of a package once it is
  // published.
  const downloads = lines
    // Says that the command works only from then on.
    .filter((line) => !line.includes('Once it is published'))
    .filter((line) => /npx"?,?\s+(-y\s+|--yes\s+|"args": \[")?chaintape/.test(line))
  expect(downloads).toEqual([])
  expect(lines.some((line) => line.includes('npx --no-install chaintape'))).toBe(true)
})

test('default: no text passes an API key to our commands as an argument', () => {
  const lines = texts
    // The reference of the command line shows the help texts, which warn of --key.
    .filter((name) => name.endsWith('.md') && name !== 'docs/reference/cli.md')
    .flatMap((name) => read(name).split('\n'))
  expect(lines.filter((line) => /--key[ =]["'$<]|\?api_key=\$/.test(line))).toEqual([])
})
