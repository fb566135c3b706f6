import type { Pool, PoolClient } from 'pg'

/** Runs work in one transaction of one pooled connection. */
export async function inTransaction<result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<result>,
): Promise<result> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // Whatever state it is in, nobody else should get this connection.
    client.release(true)
    throw error
  }
}
