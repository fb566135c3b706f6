import type { Migration } from './migration.ts'

/**
 * Contracts whose events were left out because they did not answer like pools: since which block, and up to which at most. `open`: they
 * are asked again. `missed`: they proved to be pools, and the blocks are final. `forgotten`: one row without an address for
 * all of which nobody knows more.
 */
export const m014LeftOut: Migration = {
  version: 14,
  name: 'left out',
  sql: `
    CREATE TABLE left_out (
      chain smallint NOT NULL,
      address text NOT NULL,
      state text NOT NULL,
      first_number bigint NOT NULL,
      first_hash text NOT NULL,
      first_parent_hash text NOT NULL,
      last_number bigint NOT NULL,
      contracts integer NOT NULL DEFAULT 1,
      PRIMARY KEY (chain, address)
    );
  `,
}
