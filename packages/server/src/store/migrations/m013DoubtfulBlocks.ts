import type { Migration } from './migration.ts'

/** Blocks whose logs seemed wrong, or on which endpoints disagreed, and which nothing could prove. */
export const m013DoubtfulBlocks: Migration = {
  version: 13,
  name: 'doubtful blocks',
  sql: `
    CREATE TABLE doubtful_blocks (
      chain smallint NOT NULL,
      number bigint NOT NULL,
      hash text NOT NULL,
      reason text NOT NULL,
      PRIMARY KEY (chain, number)
    );
  `,
}
