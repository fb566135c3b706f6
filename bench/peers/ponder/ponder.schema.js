import { onchainTable, primaryKey } from 'ponder'

export const swap = onchainTable('swap', (t) => ({
  id: t.text().primaryKey(),
  pair: t.hex().notNull(),
  block: t.integer().notNull(),
  time: t.integer().notNull(),
  wallet: t.hex().notNull(),
  amount0: t.bigint().notNull(),
  amount1: t.bigint().notNull(),
  price: t.doublePrecision().notNull(),
}))

export const kline = onchainTable(
  'kline',
  (t) => ({
    pair: t.hex().notNull(),
    interval: t.integer().notNull(),
    start: t.integer().notNull(),
    open: t.doublePrecision().notNull(),
    high: t.doublePrecision().notNull(),
    low: t.doublePrecision().notNull(),
    close: t.doublePrecision().notNull(),
    volume0: t.bigint().notNull(),
    volume1: t.bigint().notNull(),
    count: t.integer().notNull(),
  }),
  (table) => ({ key: primaryKey({ columns: [table.pair, table.interval, table.start] }) }),
)
