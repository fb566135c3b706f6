import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirectoryError } from '../store/errors.ts'

/** The file in the data directory with the address that opens the terminal, token included. */
const fileName = 'terminal.url'

// 256 bits: the token is compared, never searched for.
const tokenBytes = 32

/** Returns the token of the previous start, so that open pages survive a restart, or creates one. */
export async function readTerminalToken(dataDir: string): Promise<string> {
  const text = await readFile(join(dataDir, fileName), 'utf8').catch(() => '')
  const [, kept] = /#token=([\w-]{43})\n$/.exec(text) ?? []
  return kept ?? randomBytes(tokenBytes).toString('base64url')
}

/** Writes the address for users who cannot see the output of the start. Only the service's user can read it. */
export async function writeTerminalUrl(
  dataDir: string,
  address: string,
  token: string,
): Promise<string> {
  // A fragment stays in the browser: no proxy and no Referer gets it.
  const url = `${address}/#token=${token}`
  try {
    await writeFile(join(dataDir, fileName), `${url}\n`, { mode: 0o600 })
  } catch (cause) {
    throw new DataDirectoryError({ path: dataDir, detail: (cause as Error).message, cause })
  }
  return url
}
