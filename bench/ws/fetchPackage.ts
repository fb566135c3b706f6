import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { workDir } from './compileC.ts'

/**
 * Folder of an npm package that only a benchmark needs, so that it is in nobody's dependency tree. Null: it could not be
 * fetched, as without a network.
 */
export function fetchPackage(name: string, version: string): string | null {
  const dir = join(workDir, name)
  mkdirSync(dir, { recursive: true })
  const args = ['install', '--prefix', dir, '--no-audit', '--no-fund', '--silent']
  try {
    execFileSync('npm', [...args, `${name}@${version}`], { stdio: 'ignore', timeout: 180_000 })
    return join(dir, 'node_modules', name)
  } catch {
    return null
  }
}
