import type { ClientBase } from 'pg'
import { StoreTooOldError } from './errors.ts'

// Older ones lack nothing we know of, but nobody tests with them.
const serverMajorMin = 15

/** Is this a server that the schema was tried on? */
export async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version`,
  )
  const found = rows[0]!.version
  if (found < serverMajorMin) throw new StoreTooOldError({ found, wanted: serverMajorMin })
}
