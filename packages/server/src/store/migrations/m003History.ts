import type { Migration } from './migration.ts'

const klineColumns = `
  start_s bigint NOT NULL,
  block bigint NOT NULL,
  usd_open double precision NOT NULL,
  usd_high double precision NOT NULL,
  usd_low double precision NOT NULL,
  usd_close double precision NOT NULL,
  native_open double precision NOT NULL,
  native_high double precision NOT NULL,
  native_low double precision NOT NULL,
  native_close double precision NOT NULL,
  volume_usd_e8 numeric NOT NULL,
  volume_native_raw numeric NOT NULL,
  count bigint NOT NULL`

const originColumns = `
  chain smallint NOT NULL,
  block bigint NOT NULL,
  idx integer NOT NULL,
  time_s bigint NOT NULL,
  pair_id integer NOT NULL,
  tx_hash text NOT NULL,
  wallet text NOT NULL,
  sender text NOT NULL,
  amount0 numeric NOT NULL,
  amount1 numeric NOT NULL,
  reserve0 numeric NOT NULL,
  reserve1 numeric NOT NULL,
  price_raw double precision NOT NULL,
  price0_usd double precision,
  price1_usd double precision,
  price0_native double precision,
  price1_native double precision,
  liquidity_usd double precision NOT NULL,
  liquidity_native double precision NOT NULL,
  amount_usd_e8 numeric NOT NULL,
  amount_native_raw numeric NOT NULL`

/**
 * `block` of a kline is the block that closed it: taking that block back opens the kline again. Its index
 * grows at one end and holds few distinct keys, so it costs a few bytes a row.
 */
export const m003History: Migration = {
  version: 3,
  name: 'history',
  sql: `
    CREATE TABLE swaps (
      ${originColumns},
      recipient text NOT NULL,
      is_buy boolean NOT NULL,
      holding0 numeric,
      holding1 numeric,
      holding_native numeric,
      account_flags integer NOT NULL,
      PRIMARY KEY (chain, block, idx, time_s)
    ) PARTITION BY LIST (chain);
    CREATE INDEX swaps_pair ON swaps (chain, pair_id, time_s, block, idx);

    CREATE TABLE liquidity (
      ${originColumns},
      kind text NOT NULL,
      PRIMARY KEY (chain, block, idx, time_s)
    ) PARTITION BY LIST (chain);
    CREATE INDEX liquidity_pair ON liquidity (chain, pair_id, time_s, block, idx);

    CREATE TABLE klines_s1 (
      chain smallint NOT NULL,
      pair_id integer NOT NULL,
      ${klineColumns},
      PRIMARY KEY (chain, pair_id, start_s)
    ) PARTITION BY LIST (chain);
    CREATE INDEX klines_s1_block ON klines_s1 (chain, block);

    CREATE TABLE klines_k1 (
      chain smallint NOT NULL,
      pair_id integer NOT NULL,
      ${klineColumns},
      PRIMARY KEY (chain, pair_id, start_s)
    ) PARTITION BY LIST (chain);
    CREATE INDEX klines_k1_block ON klines_k1 (chain, block);

    -- Position in klineIntervalsS; the two shortest have tables of their own.
    CREATE TABLE klines (
      chain smallint NOT NULL,
      pair_id integer NOT NULL,
      interval smallint NOT NULL,
      ${klineColumns},
      PRIMARY KEY (chain, pair_id, interval, start_s)
    );
    CREATE INDEX klines_block ON klines (chain, block);
  `,
}
