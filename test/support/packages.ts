import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Folders of all published packages, in `packages/`. */
export const publishedPackages = ['protocol', 'client', 'mcp', 'devnet', 'server'] as const

export type PackedPackage = { folder: string; name: string; tarball: string; files: string[] }

/** Packs every published package as `npm publish` does. */
export async function packAll(destination: string): Promise<PackedPackage[]> {
  const workspaces = publishedPackages.flatMap((folder) => ['-w', `packages/${folder}`])
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination]
  const { stdout } = await run('npm', [...args, ...workspaces], { cwd: root, maxBuffer: 2 ** 26 })
  type Packed = { name: string; filename: string; files: { path: string }[] }
  const packed: Packed[] = Object.values(JSON.parse(stdout))
  return packed.map(({ name, filename, files }) => ({
    folder: name === 'chaintape' ? 'server' : name.slice('@chaintape/'.length),
    name,
    // The name of a scoped package has a slash in some versions of npm.
    tarball: join(destination, filename.replace('@', '').replace('/', '-')),
    files: files.map(({ path }) => path),
  }))
}

/**
 * Installs tarballs into a new folder as a user does, from npm's cache where it has the packages.
 * Resolves with what npm prints.
 */
export async function installTarballs(
  folder: string,
  packed: readonly PackedPackage[],
  flags: readonly string[] = [],
): Promise<string> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...flags]
  const tarballs = packed.map(({ tarball }) => tarball)
  const { stdout, stderr } = await run('npm', [...args, ...tarballs], { cwd: folder })
  return stdout + stderr
}
