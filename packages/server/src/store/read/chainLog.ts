import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type LogReader, withoutHole } from '../../log/log.ts'
import { readLog } from './log.ts'

export type ChainLogOptions = {
  chainId: number
  chain: string
  /**
   * Interval at which a reader at the end of the log checks for more. @default followEveryMsDefault
   */
  followEveryMs?: number | undefined
}

// Followers push a block at the head this much later, half of it on average; a check is one index
// read.
const followEveryMsDefault = 50

/** A chain's log in the table `log`, written in the transaction of the rows. */
export function openChainLog(pool: Pool, options: ChainLogOptions): LogReader {
  const { chainId, chain, followEveryMs = followEveryMsDefault } = options
  const read = (fromSeq: number) => withoutHole(readLog(pool, chainId, fromSeq), chain, fromSeq - 1)
  return {
    async lastSeq() {
      const { rows } = await pool.query<{ seq: number }>({
        name: 'last-log-seq',
        text: 'SELECT seq FROM cursors WHERE chain = $1',
        values: [chainId],
      })
      return rows[0]?.seq ?? 0
    },
    read,
    async *follow(fromSeq, signal) {
      for (let next = fromSeq; !signal.aborted; ) {
        for await (const entry of read(next)) {
          if (signal.aborted) return
          yield entry
          next = entry.seq + 1
        }
        await delay(followEveryMs, undefined, { signal }).catch(() => undefined)
      }
    },
    async acknowledged() {
      const { rows } = await pool.query<{ consumer: string; seq: number }>({
        name: 'log-consumers',
        text: 'SELECT consumer, seq FROM log_consumers WHERE chain = $1 ORDER BY consumer',
        values: [chainId],
      })
      return rows
    },
    async acknowledge(consumer, seq) {
      await pool.query({
        name: 'acknowledge-log',
        text: `INSERT INTO log_consumers AS known (chain, consumer, seq) VALUES ($1, $2, $3)
               ON CONFLICT (chain, consumer) DO UPDATE
               SET seq = greatest(known.seq, excluded.seq), acknowledged_at = now()`,
        values: [chainId, consumer, seq],
      })
    },
  }
}
