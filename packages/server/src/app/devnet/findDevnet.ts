import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DevnetMissingError } from '../errors.ts'

/** How packages are found; stands in for Node's own in tests. */
type Resolution = {
  /** Path of a package's entry, as seen from here; throws where there is none. */
  entryOf(name: string): string
  /** Folders in which a package may lie that a file asks for. */
  foldersOf(name: string, file: string): readonly string[]
}

const nodeResolution: Resolution = {
  entryOf: (name) => fileURLToPath(import.meta.resolve(name)),
  foldersOf: (name, file) => createRequire(file).resolve.paths(name) ?? [],
}

const packageName = '@chaintape/devnet'

/**
 * The program of the local chain. An install for production leaves it out, or has it without its parts, which npm takes for
 * optional: either is found out here, where it can be said, and not by a process that does not start.
 */
export function findDevnet(resolution = nodeResolution): string {
  const entry = entryOf(resolution)
  const manifest = join(dirname(dirname(entry)), 'package.json')
  const { optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    optionalDependencies?: Record<string, string>
  }
  const missing = Object.keys(optionalDependencies).filter(
    (name) => !resolution.foldersOf(name, entry).some((folder) => hasPackage(folder, name)),
  )
  if (missing.length > 0) throw new DevnetMissingError({ missing })
  return join(dirname(entry), 'main.js')
}

function entryOf(resolution: Resolution): string {
  try {
    return resolution.entryOf(packageName)
  } catch (cause) {
    throw new DevnetMissingError({ missing: [packageName], cause })
  }
}

/** By its manifest: what a package lets others import is its own affair. */
function hasPackage(folder: string, name: string): boolean {
  try {
    readFileSync(join(folder, name, 'package.json'))
    return true
  } catch {
    return false
  }
}
