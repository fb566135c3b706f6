import type { Migration } from './migration.ts'

/** Null: nobody reported what the pool held, as nodes without old state cannot. Rows stored before have 0 there. */
export const m021UnknownReserves: Migration = {
  version: 21,
  name: 'unknown reserves',
  sql: ['swaps', 'liquidity']
    .map(
      (table) => `ALTER TABLE ${table}
        ALTER COLUMN reserve0 DROP NOT NULL, ALTER COLUMN reserve1 DROP NOT NULL,
        ALTER COLUMN liquidity_usd DROP NOT NULL, ALTER COLUMN liquidity_native DROP NOT NULL;`,
    )
    .join('\n'),
}
