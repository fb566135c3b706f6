import type { Migration } from './migration.ts'

export const m005Snapshots: Migration = {
  version: 5,
  name: 'snapshots',
  sql: `
    CREATE TABLE snapshots (
      chain smallint NOT NULL REFERENCES chains,
      seq bigint NOT NULL,
      number bigint NOT NULL,
      hash text NOT NULL,
      format integer NOT NULL,
      chunk_count integer NOT NULL,
      size_bytes bigint NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (chain, seq)
    );

    CREATE TABLE snapshot_chunks (
      chain smallint NOT NULL,
      seq bigint NOT NULL,
      idx integer NOT NULL,
      digest bytea NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (chain, seq, idx),
      FOREIGN KEY (chain, seq) REFERENCES snapshots ON DELETE CASCADE
    );
    -- Engine state hardly compresses; trying costs more than the disk it saves.
    ALTER TABLE snapshot_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
  `,
}
