// What package.json and the lock file say about packages of npm.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

type Locked = { version?: string; hasInstallScript?: boolean }
const { packages }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'))
const locked = Object.entries(packages)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13)

test('default: no package runs an install script, and each that has one is denied by name', () => {
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

/** Since 7.5.14 and 8.23.0. */
function hasPongLimit(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major === 7) return minor > 5 || (minor === 5 && patch >= 14)
  return major > 8 || (major === 8 && minor >= 23)
}
