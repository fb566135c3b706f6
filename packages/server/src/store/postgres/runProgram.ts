import { spawn } from 'node:child_process'
import { PostgresRootError } from '../errors.ts'
import type { PostgresBinaries } from './binaries.ts'

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
