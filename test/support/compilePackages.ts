import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix, resolve } from 'node:path'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import { compileSources, type SolidityInput, solcVersion } from './compileSolidity.ts'

const cacheDir = resolve(import.meta.dirname, '../../node_modules/.cache/chaintape/solidity')
const importOf = /^import\b[^"';]*"([^"]+)"\s*;/gm

export type PackageSources = {
  /** Paths as in the packages: `@scope/package/contracts/Name.sol`. */
  files: readonly string[]
  /** Packages that are installed under another name than sources import. */
  aliases?: Readonly<Record<string, string>>
  settings: SolidityInput['settings']
}

/**
 * Compiles contracts that are published as source only. That takes minutes, so the result is cached
 * by all inputs: compiler, settings and every source.
 */
export function compilePackages({ files, aliases = {}, settings }: PackageSources) {
  const sources = readSources(files, aliases)
  const input = { sources, files, settings }
  const key = createHash('sha256')
    .update(`${solcVersion()} ${JSON.stringify(input)}`)
    .digest('hex')
  const path = join(cacheDir, `${key}.json`)
  const known = readKept(path)
  if (known !== null) return known
  const compiled = compileSources(input)
  mkdirSync(cacheDir, { recursive: true })
  // Written under another name and renamed at once: another run may be reading the file.
  writeFileSync(`${path}.${process.pid}`, JSON.stringify([...compiled]))
  renameSync(`${path}.${process.pid}`, path)
  return compiled
}

function readKept(path: string): Map<string, Artifact> | null {
  try {
    return new Map(JSON.parse(readFileSync(path, 'utf8')) as [string, Artifact][])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The files with everything they import. */
function readSources(files: readonly string[], aliases: Readonly<Record<string, string>>) {
  const sources: Record<string, { content: string }> = {}
  const open = [...files]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name in sources) continue
    const content = readFileSync(pathOf(name, aliases), 'utf8')
    sources[name] = { content }
    for (const [, imported] of content.matchAll(importOf))
      open.push(imported!.startsWith('.') ? posix.join(posix.dirname(name), imported!) : imported!)
  }
  // Sorted, since the cache key is computed from them.
  return Object.fromEntries(Object.entries(sources).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function pathOf(name: string, aliases: Readonly<Record<string, string>>): string {
  const [scope, unscoped, ...rest] = name.split('/') as [string, string, ...string[]]
  const imported = `${scope}/${unscoped}`
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve(`${aliases[imported] ?? imported}/package.json`))
  return join(folder, ...rest)
}
