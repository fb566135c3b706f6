import type { Pool } from 'pg'
import type { Logger } from '../lib/logger.ts'

/**
 * An idle connection that breaks is replaced by the next read. `pg` puts the whole client on its error, with all that it was
 * opened with: that is nobody's to read in a log.
 */
export function logLostConnections(pool: Pool, logger: Logger): void {
  pool.on('error', (error: Error & { client?: unknown }) => {
    delete error.client
    // A server that stops after us cuts what is on its way to be closed.
    if (!pool.ending) logger.warn({ msg: 'Lost an idle store connection', err: error })
  })
}
