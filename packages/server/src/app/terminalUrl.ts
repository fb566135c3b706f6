import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirectoryError } from '../store/errors.ts'

/** File in the data directory with the terminal's URL, including the token. */
const fileName = 'terminal.url'

// 256 bits: too many to guess. Requests are compared with this token; no lookup is needed.
const tokenBytes = 32

/**
 * Returns the token of the previous start, so that open pages survive a restart, or creates a
 * token.
 */
export async function readTerminalToken(dataDir: string): Promise<string> {
  const text = await readFile(join(dataDir, fileName), 'utf8').catch(() => '')
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
    await writeFile(join(dataDir, fileName), `${url}\n`, { mode: 0o600 })
  } catch (cause) {
    throw new DataDirectoryError({ path: dataDir, detail: (cause as Error).message, cause })
  }
  return url
}
