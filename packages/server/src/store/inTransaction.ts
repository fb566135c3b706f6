import type { Pool, PoolClient } from 'pg'

/** Runs work in one transaction of one pooled connection. */
export async function inTransaction<result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<result>,
): Promise<result> {
  const client = await pool.connect()
  // One that is lost between two statements fails the next; with nobody to hear of it, it would end the process.
  const ignore = () => undefined
  client.on('error', ignore)
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    client.off('error', ignore)
    client.release()
    return result
  } catch (error) {
    // Whatever state it is in, nobody else should get this connection.
    client.release(true)
    throw error
  }
}
