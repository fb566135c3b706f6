// The program as a later version of it would be, of which entries of the log have the next version.
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '../..')

export type NextBuild = { tree: string; remove(): Promise<void> }

export async function createNextBuild(): Promise<NextBuild> {
  const tree = await mkdtemp(join(tmpdir(), 'chaintape-next-'))
  const server = join(tree, 'packages/server')
  await mkdir(server, { recursive: true })
  for (const name of ['bin', 'dist', 'static', 'package.json'])
    await cp(join(repository, 'packages/server', name), join(server, name), { recursive: true })
  await symlink(join(repository, 'node_modules'), join(tree, 'node_modules'))
  const own = join(repository, 'packages/server/node_modules')
  await symlink(own, join(server, 'node_modules'))
  const codec = join(server, 'dist/log/entryCodec.js')
  const text = await readFile(codec, 'utf8')
  const next = text.replace(/(const entryVersion = )(\d+)/, (_, words, version) => {
    return `${words}${Number(version) + 1}`
  })
  if (next === text) throw new Error('The version of entries is not where it was.')
  await writeFile(codec, next)
  return { tree, remove: () => rm(tree, { recursive: true, force: true }) }
}
