import type { Migration } from './migration.ts'

/** Times of trades in Unix milliseconds, for chains with several blocks a second. Null: the node gave whole seconds only. */
export const m020TradeMilliseconds: Migration = {
  version: 20,
  name: 'trade milliseconds',
  sql: `
    ALTER TABLE swaps ADD COLUMN time_ms bigint;
    ALTER TABLE liquidity ADD COLUMN time_ms bigint;
  `,
}
