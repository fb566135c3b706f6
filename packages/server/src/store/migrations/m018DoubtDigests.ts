import type { Migration } from './migration.ts'

/** What a doubtful block says, so that it can be held against what nodes say later. Null: nobody asks any more. */
export const m018DoubtDigests: Migration = {
  version: 18,
  name: 'doubt digests',
  sql: 'ALTER TABLE doubtful_blocks ADD COLUMN digest text;',
}
