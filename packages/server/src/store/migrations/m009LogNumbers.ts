import type { Migration } from './migration.ts'

/** A reader that resumes names a block by its number; whether that block is still canonical is in the log. */
export const m009LogNumbers: Migration = {
  version: 9,
  name: 'log numbers',
  sql: 'CREATE INDEX log_number ON log (chain, number);',
}
