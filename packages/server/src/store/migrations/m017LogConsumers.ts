import type { Migration } from './migration.ts'

/** How far those who follow a chain's log have come: the log keeps what they still need. */
export const m017LogConsumers: Migration = {
  version: 17,
  name: 'log consumers',
  sql: `
    CREATE TABLE log_consumers (
      chain smallint NOT NULL,
      consumer text NOT NULL,
      seq bigint NOT NULL,
      acknowledged_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (chain, consumer)
    );
  `,
}
