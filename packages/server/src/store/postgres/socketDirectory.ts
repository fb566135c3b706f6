import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataDirectoryError } from '../errors.ts'

/** Only names the socket file: nothing listens on the network. */
export const socketPort = 5432

// sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero.
const socketPathBytesMax = 100

/** A private directory for the socket, short enough for the operating system. The same data directory gives the same one. */
export async function openSocketDirectory(
  dataDir: string,
  temporaryDir: string = tmpdir(),
): Promise<string> {
  const path = socketDirectoryOf(dataDir, temporaryDir)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const stat = await lstat(path)
  // A directory in a shared place could have been made by somebody else, who could then pose as the server.
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0)
    throw new DataDirectoryError({ path, detail: 'It must be a directory of ours with mode 0700.' })
  return path
}

export function socketDirectoryOf(dataDir: string, temporaryDir: string): string {
  const inside = join(dataDir, 'socket')
  if (Buffer.byteLength(join(inside, `.s.PGSQL.${socketPort}.lock`)) <= socketPathBytesMax)
    return inside
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return join(temporaryDir, `chaintape-${key}`)
}
