import type { Migration } from './migration.ts'

/**
 * Which services a seeded key belongs to, each by the chains that it writes. Keys that were seeded before have none, and
 * belong to the service that starts next.
 */
export const m012KeySeeds: Migration = {
  version: 12,
  name: 'key seeds',
  sql: `
    CREATE TABLE key_seeds (
      key_id integer NOT NULL REFERENCES keys ON DELETE CASCADE,
      chains text[] NOT NULL
    );
    CREATE INDEX key_seeds_key ON key_seeds (key_id);
  `,
}
