import type { Migration } from './migration.ts'

/**
 * Where a chain's history begins, which the log tells only until its first days are dropped. Null where these are gone
 * already. Swaps before `swaps_from_s` are not kept; null: all are.
 */
export const m011CursorHistory: Migration = {
  version: 11,
  name: 'cursor history',
  sql: `
    ALTER TABLE cursors ADD COLUMN first_number bigint, ADD COLUMN swaps_from_s bigint;
    UPDATE cursors c SET first_number = l.number FROM log l
      WHERE l.chain = c.chain AND l.seq = 1 AND l.type = 'commit';
  `,
}
