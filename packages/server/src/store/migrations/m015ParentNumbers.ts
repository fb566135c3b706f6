import type { Migration } from './migration.ts'

/**
 * The number of the block before one: chains skip numbers. Null: the row is older than the column, of a chain that skipped
 * none. Days of old entries are dropped soon, so they are not rewritten.
 */
export const m015ParentNumbers: Migration = {
  version: 15,
  name: 'parent numbers',
  sql: `
    ALTER TABLE log ADD COLUMN parent_number bigint;
    ALTER TABLE left_out ADD COLUMN first_parent_number bigint;
  `,
}
