import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Peer = {
  name: string
  /** Exact versions: the newest version does not always install. */
  packages: Readonly<Record<string, string>>
  isModule: boolean
  /** Files of its program, by their names in the folder. */
  files: Readonly<Record<string, string>>
}

// Long, because there are many small packages and the registry may be slow.
const installMsMax = 1_200_000

/**
 * Installs a peer and its program into a temporary folder. `PEERS_DIR` names a folder to reuse
 * between runs.
 */
export function installPeer({ name, packages, isModule, files }: Peer): string {
  const base = process.env.PEERS_DIR ?? mkdtempSync(join(tmpdir(), 'chaintape-bench-peers-'))
  const dir = join(base, name)
  if (!existsSync(join(dir, 'node_modules'))) {
    mkdirSync(dir, { recursive: true })
    const type = isModule ? 'module' : 'commonjs'
    const described = { private: true, type, dependencies: packages }
    writeFileSync(join(dir, 'package.json'), JSON.stringify(described))
    const args = ['install', '--no-audit', '--no-fund', '--silent']
    execFileSync('npm', args, {
      cwd: dir,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: installMsMax,
    })
  }
  for (const [from, to] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, to)), { recursive: true })
    cpSync(fileURLToPath(new URL(`./${name}/${from}`, import.meta.url)), join(dir, to))
  }
  return dir
}
