import type { Migration } from './migration.ts'

/**
 * Tables that grow with time are split by chain and then by day, so that retention of one chain drops its
 * own partitions and never touches another's. Times are unix seconds.
 */
export const m001Log: Migration = {
  version: 1,
  name: 'log',
  sql: `
    CREATE TABLE chains (
      id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL UNIQUE
    );

    CREATE TABLE cursors (
      chain smallint PRIMARY KEY REFERENCES chains,
      seq bigint NOT NULL DEFAULT 0,
      number bigint NOT NULL DEFAULT -1,
      hash text NOT NULL DEFAULT '',
      finalized bigint NOT NULL DEFAULT -1
    ) WITH (fillfactor = 50);

    CREATE TABLE log (
      chain smallint NOT NULL,
      seq bigint NOT NULL,
      time_s bigint NOT NULL,
      type text NOT NULL,
      number bigint NOT NULL,
      hash text NOT NULL,
      parent_hash text NOT NULL,
      entry bytea NOT NULL,
      undo bytea,
      PRIMARY KEY (chain, seq, time_s)
    ) PARTITION BY LIST (chain);

    -- What a row was before a block that can still be taken back; null: there was none.
    CREATE TABLE undo (
      chain smallint NOT NULL,
      kind text NOT NULL,
      id bigint NOT NULL,
      block bigint NOT NULL,
      before jsonb,
      PRIMARY KEY (chain, kind, id, block)
    );
    CREATE INDEX undo_block ON undo (chain, block);
  `,
}
