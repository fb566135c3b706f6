import type { Pool } from 'pg'
import type { DoubtfulBlock } from '../../model/trust/doubt.ts'

type DoubtfulRow = {
  number: number
  hash: string
  digest: string
  /** Both null if the log does not reach back that far. */
  parentNumber: number | null
  parentHash: string | null
}

/** The newest unverified blocks that can be read again, oldest first. */
export async function loadDoubtfulBlocks(
  pool: Pool,
  chainId: number,
  limit: number,
): Promise<DoubtfulBlock[]> {
  const { rows } = await pool.query<DoubtfulRow>(
    `SELECT DISTINCT ON (d.number) d.number, d.hash, d.digest, l.parent_number AS "parentNumber",
       l.parent_hash AS "parentHash"
     FROM doubtful_blocks d
     LEFT JOIN log l ON l.chain = d.chain AND l.number = d.number AND l.hash = d.hash AND l.type = 'commit'
     WHERE d.chain = $1 AND d.digest IS NOT NULL ORDER BY d.number DESC LIMIT $2`,
    [chainId, limit],
  )
  return rows.reverse().map(({ number, hash, digest, parentNumber, parentHash }) => ({
    number,
    hash,
    digest,
    parent:
      parentNumber === null || parentHash === null
        ? null
        : { number: parentNumber, hash: parentHash },
  }))
}
