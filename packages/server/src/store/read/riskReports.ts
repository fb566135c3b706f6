import type { Pool } from 'pg'

export type StoredRiskReport = {
  token: string
  /** Block of the report. */
  blockNumber: number
  /** In the form of its writer. */
  report: string
}

export function createRiskReports(pool: Pool) {
  return {
    saveRiskReports: (chainId: number, reports: readonly StoredRiskReport[], countMax: number) =>
      saveRiskReports(pool, chainId, reports, countMax),
    loadRiskReports: (chainId: number, sinceS: number | null) =>
      loadRiskReports(pool, chainId, sinceS),
  }
}

/** Keeps the newest report of each token, and at most the newest `countMax` of a chain. */
async function saveRiskReports(
  pool: Pool,
  chainId: number,
  reports: readonly StoredRiskReport[],
  countMax: number,
): Promise<void> {
  // One for each token: a statement cannot change a row twice.
  const newest = [...new Map(reports.map((report) => [report.token, report])).values()]
  await pool.query({
    name: 'save-risk-reports',
    text: `INSERT INTO risk_reports (chain, token, block_number, report)
           SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::text[])
           ON CONFLICT (chain, token) DO UPDATE SET block_number = excluded.block_number,
             report = excluded.report, stored_at_s = excluded.stored_at_s
           WHERE risk_reports.block_number <= excluded.block_number`,
    values: [
      chainId,
      newest.map(({ token }) => token),
      newest.map(({ blockNumber }) => blockNumber),
      newest.map(({ report }) => report),
    ],
  })
  await pool.query({
    name: 'trim-risk-reports',
    text: `DELETE FROM risk_reports WHERE chain = $1 AND stored_at_s <
             (SELECT stored_at_s FROM risk_reports WHERE chain = $1 ORDER BY stored_at_s DESC OFFSET $2 LIMIT 1)`,
    values: [chainId, countMax - 1],
  })
}

type RiskReportsPage = {
  reports: readonly StoredRiskReport[]
  /** The database's time, from which the next read starts. */
  readAtS: number
}

// Covers slow commits; reports that are read twice are unchanged.
const overlapS = 10

/** Reports stored since a read, oldest first; null for all. */
async function loadRiskReports(
  pool: Pool,
  chainId: number,
  sinceS: number | null,
): Promise<RiskReportsPage> {
  const { rows: clocks } = await pool.query<{ nowS: number }>({
    name: 'risk-reports-clock',
    text: 'SELECT extract(epoch FROM clock_timestamp())::double precision AS "nowS"',
  })
  const { rows } = await pool.query<StoredRiskReport>({
    name: 'load-risk-reports',
    text: `SELECT token, block_number::double precision AS "blockNumber", report FROM risk_reports
           WHERE chain = $1 AND stored_at_s >= $2 ORDER BY stored_at_s`,
    values: [chainId, sinceS === null ? 0 : sinceS - overlapS],
  })
  return { reports: rows, readAtS: clocks[0]!.nowS }
}
