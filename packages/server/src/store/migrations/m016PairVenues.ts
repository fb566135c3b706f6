import type { Migration } from './migration.ts'

/**
 * Of whose pool a pair is, and what its price takes; null: of the only venue that its kind had. Records of earlier versions that
 * a revert puts back have none either.
 */
export const m016PairVenues: Migration = {
  version: 16,
  name: 'pair venues',
  sql: `
    ALTER TABLE pairs
      ADD COLUMN venue text,
      ADD COLUMN params text,
      ADD COLUMN pool text,
      ADD COLUMN other_ids text;
    CREATE INDEX pairs_by_pool ON pairs (chain, pool) WHERE pool IS NOT NULL;
  `,
}
