import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataDirectoryError } from '../errors.ts'

/** Only part of the socket file's name: nothing listens on the network. */
export const socketPort = 5432

// sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero.
const socketPathBytesMax = 100

/**
 * A private directory for the socket with a path short enough for the operating system. A data
 * directory always gets the same one.
 */
export async function openSocketDirectory(
  dataDir: string,
  temporaryDir: string = tmpdir(),
): Promise<string> {
  const path = socketDirectoryOf(dataDir, temporaryDir)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const stat = await lstat(path)
  // Another user could have created a directory in a shared place and pose as the server.
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
