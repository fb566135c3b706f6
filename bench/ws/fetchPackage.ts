import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { workDir } from './compileC.ts'

/**
 * Fetches an npm package that only a bench needs, so that it is not a dependency of this
 * repository. Returns its folder; null if it could not be fetched, for example without a network.
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
