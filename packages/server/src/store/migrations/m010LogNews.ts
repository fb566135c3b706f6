import type { Migration } from './migration.ts'

/**
 * The pairs that a block created or graduated, so that readers of them can resume without the whole log being read. Null:
 * the entry is older than the column, and only its bytes tell. Days of old entries are dropped soon, so they are not
 * rewritten.
 */
export const m010LogNews: Migration = {
  version: 10,
  name: 'log news',
  sql: `
    ALTER TABLE log ADD COLUMN news integer[];
    CREATE INDEX log_news ON log (chain, number) WHERE type = 'commit' AND news IS DISTINCT FROM '{}';
  `,
}
