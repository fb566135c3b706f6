import type { Migration } from './migration.ts'

/**
 * An index on the balance itself would be touched by every update (measured: a third of the speed, thirty
 * times the WAL). Instead each token has a bar; rows at or over it carry a flag, and the index holds only
 * those. The flag seldom changes, so an ordinary update touches no index at all (HOT).
 */
export const m004Holders: Migration = {
  version: 4,
  name: 'holders',
  sql: `
    CREATE TABLE balances (
      chain smallint NOT NULL,
      token_id integer NOT NULL,
      wallet text NOT NULL,
      balance numeric NOT NULL,
      is_large boolean NOT NULL,
      PRIMARY KEY (chain, token_id, wallet)
    ) WITH (fillfactor = 80);
    CREATE INDEX balances_large ON balances (chain, token_id) WHERE is_large;

    -- A token without a row has bar 0: all its holders are large.
    CREATE TABLE holder_bars (
      chain smallint NOT NULL,
      token_id integer NOT NULL,
      bar numeric NOT NULL,
      PRIMARY KEY (chain, token_id)
    );
  `,
}
