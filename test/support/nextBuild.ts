// A build of the program that represents a later version: its log entries have the next format
// version.
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { entryVersion } from '../../packages/server/src/log/entryCodec.ts'
import { type TestConnection, withClient } from './postgres.ts'

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

/** Rewrites such a version's stored entries to the current format version, the only difference. */
export async function rewriteEntriesToThisVersion(connection: TestConnection): Promise<void> {
  await withClient(connection, async (client) => {
    const { rows } = await client.query<{ chain: number; seq: string; entry: Buffer }>(
      'SELECT chain, seq, entry FROM log WHERE get_byte(entry, 0) = $1',
      [entryVersion + 1],
    )
    for (const { chain, seq, entry } of rows) {
      const end = entry.length - 4
      entry[0] = entryVersion
      entry.writeUInt32LE(crc32(entry.subarray(0, end)), end)
      await client.query('UPDATE log SET entry = $3 WHERE chain = $1 AND seq = $2', [
        chain,
        seq,
        entry,
      ])
    }
  })
}
