import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DevnetMissingError } from '../errors.ts'

/** Module resolution; tests replace Node's own. */
type Resolution = {
  /**
   * Returns the path of a package's entry as resolved from this file; throws if it is not
   * installed.
   */
  entryOf(name: string): string
  /** Returns the folders in which Node looks for a package that `file` imports. */
  foldersOf(name: string, file: string): readonly string[]
}

const nodeResolution: Resolution = {
  entryOf: (name) => fileURLToPath(import.meta.resolve(name)),
  foldersOf: (name, file) => createRequire(file).resolve.paths(name) ?? [],
}

const packageName = '@chaintape/devnet'

/**
 * Returns the path of the local chain's program. Production installs omit the package, or have it
 * without its optional dependencies. Checking here gives a clear error instead of a process that
 * fails to start.
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

/** Checks for the manifest, since the package may not export it to importers. */
function hasPackage(folder: string, name: string): boolean {
  try {
    readFileSync(join(folder, name, 'package.json'))
    return true
  } catch {
    return false
  }
}
