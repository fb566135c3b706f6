import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirectoryError } from '../store/errors.ts'

/** File in the data directory that holds its id. */
const idFile = 'id'

/** Returns the id of a data directory; null: no service has started in it. */
export async function readDataDirId(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, idFile), 'utf8').catch(() => '')
  return /^[\w-]{22}$/.exec(text.trim())?.[0] ?? null
}

/**
 * Returns the id of a data directory, which `/health/live` reports. The first start creates the id.
 */
export async function openDataDirId(dataDir: string): Promise<string> {
  const known = await readDataDirId(dataDir)
  if (known !== null) return known
  const id = randomBytes(16).toString('base64url')
  try {
    await writeFile(join(dataDir, idFile), `${id}\n`, { flag: 'wx' })
    return id
  } catch (cause) {
    // Another service created the file at the same moment; use its id.
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      return (await readDataDirId(dataDir)) ?? id
    throw new DataDirectoryError({ path: dataDir, detail: (cause as Error).message, cause })
  }
}

/** File in the data directory with the terminal's URL, including the token. */
const terminalUrlFile = 'terminal.url'

// 256 bits: too many to guess. Requests are compared with this token; no lookup is needed.
const tokenBytes = 32

/**
 * Returns the token of the previous start, so that open pages survive a restart, or creates a
 * token.
 */
export async function readTerminalToken(dataDir: string): Promise<string> {
  const text = await readFile(join(dataDir, terminalUrlFile), 'utf8').catch(() => '')
  const [, kept] = /#token=([\w-]{43})\n$/.exec(text) ?? []
  return kept ?? randomBytes(tokenBytes).toString('base64url')
}

/**
 * Writes the terminal's URL to a file for users who cannot see the output of the start. Only the
 * service's user can read the file.
 */
export async function writeTerminalUrl(
  dataDir: string,
  address: string,
  token: string,
): Promise<string> {
  // Browsers do not send the fragment, so the token reaches no proxy and no Referer header.
  const url = `${address}/#token=${token}`
  try {
    await writeFile(join(dataDir, terminalUrlFile), `${url}\n`, { mode: 0o600 })
  } catch (cause) {
    throw new DataDirectoryError({ path: dataDir, detail: (cause as Error).message, cause })
  }
  return url
}
