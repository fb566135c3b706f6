import type { Pool } from 'pg'
import type { LeftOutContract } from '../../model/trust/leftOut.ts'

type LeftOutRow = { address: string } & LeftOutContract['since']

/** Contracts whose events are ignored until they answer like pools. */
export async function loadLeftOut(pool: Pool, chainId: number): Promise<LeftOutContract[]> {
  const { rows } = await pool.query<LeftOutRow>(
    `SELECT address, first_number AS number, first_hash AS hash, first_parent_number AS "parentNumber",
       first_parent_hash AS "parentHash"
     FROM left_out WHERE chain = $1 AND state = 'open' ORDER BY first_number, address`,
    [chainId],
  )
  return rows.map(({ address, ...since }) => ({ address, since }))
}
