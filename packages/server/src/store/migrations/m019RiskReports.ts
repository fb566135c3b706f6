import type { Migration } from './migration.ts'

/** The newest report of each token that was checked, with the block that it holds from; all servers of a database answer by it. */
export const m019RiskReports: Migration = {
  version: 19,
  name: 'risk reports',
  sql: `
    CREATE TABLE risk_reports (
      chain smallint NOT NULL,
      token text NOT NULL,
      block_number bigint NOT NULL,
      report text NOT NULL,
      stored_at_s double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
      PRIMARY KEY (chain, token)
    );
    CREATE INDEX risk_reports_stored ON risk_reports (chain, stored_at_s);
  `,
}
