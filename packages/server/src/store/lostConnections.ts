import type { Pool } from 'pg'
import type { Logger } from '../lib/logger.ts'

/**
 * Logs broken idle connections; the next read replaces them. `pg` attaches the whole client with
 * its options to the error, which must not be logged.
 */
export function logLostConnections(pool: Pool, logger: Logger): void {
  pool.on('error', (error: Error & { client?: unknown }) => {
    delete error.client
    // A server that stops after us cuts connections that are already closing.
    if (!pool.ending) logger.warn({ msg: 'Lost an idle store connection', err: error })
  })
}
