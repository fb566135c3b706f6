import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirectoryError } from '../store/errors.ts'

/** File in the data directory that holds its id. */
const fileName = 'id'

/** Returns the id of a data directory; null: no service has started in it. */
export async function readDataDirId(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, fileName), 'utf8').catch(() => '')
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
    await writeFile(join(dataDir, fileName), `${id}\n`, { flag: 'wx' })
    return id
  } catch (cause) {
    // Another service created the file at the same moment; use its id.
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      return (await readDataDirId(dataDir)) ?? id
    throw new DataDirectoryError({ path: dataDir, detail: (cause as Error).message, cause })
  }
}
