import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Temporary folder for programs that benches build and fetch. */
export const workDir = mkdtempSync(join(tmpdir(), 'chaintape-bench-ws-'))

const compiled = new Map<string, string>()

/** Path of a program compiled from bench/c. Throws an error that names the missing tool. */
export function compileC(name: 'wsClient' | 'epollServer'): string {
  const known = compiled.get(name)
  if (known !== undefined) return known
  if (process.platform !== 'linux')
    throw new Error('The WebSocket benchmarks need Linux: their client is built on epoll.')
  const source = fileURLToPath(new URL(`../c/${name}.c`, import.meta.url))
  const program = join(workDir, name)
  try {
    execFileSync('cc', ['-O2', '-Wall', '-o', program, source], { stdio: 'inherit' })
  } catch (error) {
    throw new Error(`The WebSocket benchmarks need a C compiler named cc for bench/c/${name}.c.`, {
      cause: error,
    })
  }
  compiled.set(name, program)
  return program
}
