const pricesOf = (unit: 'usd' | 'native') =>
  ['open', 'high', 'low', 'close']
    .map((price) => `${unit}_${price} double precision NOT NULL`)
    .join(', ')

const klineColumns = `
  start_s bigint NOT NULL,
  block bigint NOT NULL,
  ${pricesOf('usd')},
  ${pricesOf('native')},
  volume_usd_e8 numeric NOT NULL, volume_native_raw numeric NOT NULL,
  count bigint NOT NULL`

/** The two shortest intervals have a table each. */
const shortKlines = (name: 'klines_s1' | 'klines_k1') => `
  CREATE TABLE ${name} (
    chain smallint NOT NULL,
    pair_id integer NOT NULL,
    ${klineColumns},
    PRIMARY KEY (chain, pair_id, start_s)
  ) PARTITION BY LIST (chain);
  CREATE INDEX ${name}_block ON ${name} (chain, block);`

const originColumns = `
  chain smallint NOT NULL,
  block bigint NOT NULL,
  idx integer NOT NULL,
  time_s bigint NOT NULL,
  -- Null: the node gave whole seconds only.
  time_ms bigint,
  pair_id integer NOT NULL,
  tx_hash text NOT NULL,
  wallet text NOT NULL,
  sender text NOT NULL,
  amount0 numeric NOT NULL, amount1 numeric NOT NULL,
  -- Null: nobody reported what the pool held, as nodes without old state cannot. Its liquidity is unknown then, too.
  reserve0 numeric, reserve1 numeric,
  price_raw double precision NOT NULL,
  price0_usd double precision, price1_usd double precision,
  price0_native double precision, price1_native double precision,
  liquidity_usd double precision, liquidity_native double precision,
  amount_usd_e8 numeric NOT NULL, amount_native_raw numeric NOT NULL`

/**
 * Growing tables are split by chain and then by day, so that retention of a chain drops its own
 * partitions only. Times are unix seconds.
 */
const log = `
  CREATE TABLE chains (
    id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
  );

  -- first_number: where the chain's history begins, which the log says only until its first days are dropped. Swaps
  -- before swaps_from_s are not kept; null: all are.
  CREATE TABLE cursors (
    chain smallint PRIMARY KEY REFERENCES chains,
    seq bigint NOT NULL DEFAULT 0,
    number bigint NOT NULL DEFAULT -1,
    hash text NOT NULL DEFAULT '',
    finalized bigint NOT NULL DEFAULT -1,
    first_number bigint,
    swaps_from_s bigint
  ) WITH (fillfactor = 50);

  -- parent_number: chains skip numbers. news: the pairs that the block created or graduated, so that readers of them
  -- resume without the whole log being read.
  CREATE TABLE log (
    chain smallint NOT NULL,
    seq bigint NOT NULL,
    time_s bigint NOT NULL,
    type text NOT NULL,
    number bigint NOT NULL,
    hash text NOT NULL,
    parent_number bigint NOT NULL,
    parent_hash text NOT NULL,
    entry bytea NOT NULL,
    undo bytea,
    news integer[] NOT NULL,
    PRIMARY KEY (chain, seq, time_s)
  ) PARTITION BY LIST (chain);
  -- A reader that resumes names a block by its number; whether that block is still canonical is in the log.
  CREATE INDEX log_number ON log (chain, number);
  CREATE INDEX log_news ON log (chain, number) WHERE type = 'commit' AND news <> '{}';

  -- How far the consumers of a chain's log have come: the log keeps what they still need.
  CREATE TABLE log_consumers (
    chain smallint NOT NULL,
    consumer text NOT NULL,
    seq bigint NOT NULL,
    acknowledged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chain, consumer)
  );

  -- A row as it was before a block that can still be reverted; null: it did not exist.
  CREATE TABLE undo (
    chain smallint NOT NULL,
    kind text NOT NULL,
    id bigint NOT NULL,
    block bigint NOT NULL,
    before jsonb,
    PRIMARY KEY (chain, kind, id, block)
  );
  CREATE INDEX undo_block ON undo (chain, block);

  CREATE TABLE snapshots (
    chain smallint NOT NULL REFERENCES chains,
    seq bigint NOT NULL,
    number bigint NOT NULL,
    hash text NOT NULL,
    format integer NOT NULL,
    chunk_count integer NOT NULL,
    size_bytes bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chain, seq)
  );

  CREATE TABLE snapshot_chunks (
    chain smallint NOT NULL,
    seq bigint NOT NULL, idx integer NOT NULL,
    digest bytea NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (chain, seq, idx),
    FOREIGN KEY (chain, seq) REFERENCES snapshots ON DELETE CASCADE
  );
  -- Engine state hardly compresses; trying costs more than the disk it saves.
  ALTER TABLE snapshot_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;`

const trust = `
  -- Blocks whose logs seemed wrong, or on which endpoints disagreed, and which nothing could prove. digest: what the block
  -- says, to compare with what nodes say later; null: it is not asked for any more.
  CREATE TABLE doubtful_blocks (
    chain smallint NOT NULL,
    number bigint NOT NULL,
    hash text NOT NULL,
    reason text NOT NULL,
    digest text,
    PRIMARY KEY (chain, number)
  );

  -- Contracts whose events were left out because they did not answer like pools: since which block, and up to which at
  -- most. open: they are asked again. missed: they proved to be pools, and the blocks are final. forgotten: one row
  -- without an address, and without a first block but its number, for all that nobody asks for any more.
  CREATE TABLE left_out (
    chain smallint NOT NULL,
    address text NOT NULL,
    state text NOT NULL,
    first_number bigint NOT NULL,
    first_hash text NOT NULL,
    first_parent_number bigint,
    first_parent_hash text NOT NULL,
    last_number bigint NOT NULL,
    contracts integer NOT NULL DEFAULT 1,
    PRIMARY KEY (chain, address)
  );

  -- The newest report of each token that was checked, with the block it describes; all servers of a database answer by it.
  CREATE TABLE risk_reports (
    chain smallint NOT NULL,
    token text NOT NULL,
    block_number bigint NOT NULL,
    report text NOT NULL,
    stored_at_s double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
    PRIMARY KEY (chain, token)
  );
  CREATE INDEX risk_reports_stored ON risk_reports (chain, stored_at_s);`

const records = `
  CREATE TABLE tokens (
    chain smallint NOT NULL,
    id integer NOT NULL,
    address text NOT NULL,
    symbol text NOT NULL,
    name text NOT NULL,
    decimals integer NOT NULL,
    is_unreadable boolean NOT NULL,
    seen_at_s bigint NOT NULL,
    PRIMARY KEY (chain, id),
    UNIQUE (chain, address)
  );

  CREATE TABLE pairs (
    chain smallint NOT NULL,
    id integer NOT NULL,
    address text NOT NULL,
    kind text NOT NULL,
    token0_id integer NOT NULL, token1_id integer NOT NULL,
    factory text NOT NULL,
    amm text NOT NULL,
    is_trusted boolean NOT NULL,
    fee_ppm integer,
    created_at_s bigint NOT NULL,
    platform text,
    venue text NOT NULL,
    params text,
    pool text,
    other_ids text,
    PRIMARY KEY (chain, id),
    UNIQUE (chain, address)
  );
  CREATE INDEX pairs_by_pool ON pairs (chain, pool) WHERE pool IS NOT NULL;

  CREATE TABLE supplies (
    chain smallint NOT NULL,
    id integer NOT NULL,
    total numeric NOT NULL,
    burnt numeric NOT NULL, locked numeric NOT NULL,
    other numeric NOT NULL,
    holders integer NOT NULL,
    is_complete boolean NOT NULL,
    PRIMARY KEY (chain, id)
  ) WITH (fillfactor = 80);

  CREATE TABLE launches (
    chain smallint NOT NULL,
    id integer NOT NULL,
    state text NOT NULL,
    pair_id integer NOT NULL,
    block bigint NOT NULL,
    time_s bigint NOT NULL,
    PRIMARY KEY (chain, id)
  );`

/**
 * `block` of a kline is the block that closed it: reverting that block opens the kline again. Its
 * index grows at one end and holds few distinct keys, so it costs a few bytes a row.
 */
const history = `
  CREATE TABLE swaps (
    ${originColumns},
    recipient text NOT NULL,
    is_buy boolean NOT NULL,
    holding0 numeric, holding1 numeric,
    holding_native numeric,
    account_flags integer NOT NULL,
    PRIMARY KEY (chain, block, idx, time_s)
  ) PARTITION BY LIST (chain);
  CREATE INDEX swaps_pair ON swaps (chain, pair_id, time_s, block, idx);
  -- A hash of the wallet: 88 bytes of WAL a swap and 8 % of the table, where the address itself with the block and index
  -- takes 188 bytes and 24 %. Reads compare the wallet as well.
  CREATE INDEX swaps_wallet ON swaps (hashtextextended(wallet, 0), time_s);

  CREATE TABLE liquidity (
    ${originColumns},
    kind text NOT NULL,
    PRIMARY KEY (chain, block, idx, time_s)
  ) PARTITION BY LIST (chain);
  CREATE INDEX liquidity_pair ON liquidity (chain, pair_id, time_s, block, idx);

  ${shortKlines('klines_s1')}
  ${shortKlines('klines_k1')}

  -- interval: position in klineIntervalsS.
  CREATE TABLE klines (
    chain smallint NOT NULL,
    pair_id integer NOT NULL,
    interval smallint NOT NULL,
    ${klineColumns},
    PRIMARY KEY (chain, pair_id, interval, start_s)
  );
  CREATE INDEX klines_block ON klines (chain, block);`

/**
 * An index on the balance itself would be touched by every update (measured: a third of the speed,
 * thirty times the WAL). Instead each token has a bar; rows at or over it carry a flag, and the
 * index holds only those. The flag seldom changes, so an ordinary update touches no index at all
 * (HOT).
 */
const holders = `
  CREATE TABLE balances (
    chain smallint NOT NULL,
    token_id integer NOT NULL,
    wallet text NOT NULL,
    balance numeric NOT NULL,
    is_large boolean NOT NULL,
    PRIMARY KEY (chain, token_id, wallet)
  ) WITH (fillfactor = 80);
  CREATE INDEX balances_large ON balances (chain, token_id) WHERE is_large;

  -- A token without a row has bar 0: all its holders are large.
  CREATE TABLE holder_bars (
    chain smallint NOT NULL,
    token_id integer NOT NULL,
    bar numeric NOT NULL,
    PRIMARY KEY (chain, token_id)
  );`

/**
 * Positions by average cost, and the best wallets. `position_step` is `withTrade` of the model in
 * SQL: held, cost, profit, cost of the sold amount, sold without a known purchase.
 */
const wallets = `
  CREATE FUNCTION position_step(state numeric[], is_buy boolean, amount numeric, usd numeric)
    RETURNS numeric[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  DECLARE
    covered numeric;
    taken numeric;
  BEGIN
    IF is_buy THEN
      IF usd > 0 THEN
        state[1] := state[1] + amount;
        state[2] := state[2] + usd;
      END IF;
      RETURN state;
    END IF;
    covered := least(amount, state[1]);
    taken := CASE WHEN state[1] = 0 THEN 0 ELSE div(state[2] * covered, state[1]) END;
    state[1] := state[1] - covered;
    state[2] := state[2] - taken;
    IF usd > 0 THEN
      state[3] := state[3] + div(usd * covered, amount) - taken;
      state[4] := state[4] + taken;
    END IF;
    state[5] := state[5] + amount - covered;
    RETURN state;
  END $$;
  CREATE AGGREGATE position_fold(boolean, numeric, numeric) (
    SFUNC = position_step, STYPE = numeric[], INITCOND = '{0,0,0,0,0}');

  CREATE TABLE smart_wallets (
    chain smallint NOT NULL,
    wallet text NOT NULL,
    buy_count bigint NOT NULL, sell_count bigint NOT NULL,
    bought_usd_e8 numeric NOT NULL, sold_usd_e8 numeric NOT NULL,
    profit_usd_e8 numeric NOT NULL, sold_cost_usd_e8 numeric NOT NULL,
    -- Tokens with a sale whose cost is known, those of them with a profit, and by percent of profit.
    token_count integer NOT NULL, won_count integer NOT NULL,
    profit_counts integer[] NOT NULL,
    last_trade_s bigint NOT NULL,
    PRIMARY KEY (chain, wallet)
  );
  CREATE TABLE smart_wallet_runs (
    chain smallint PRIMARY KEY,
    since_s bigint NOT NULL,
    made_at_s bigint NOT NULL
  );`

/**
 * Rotated keys share an account and its limits. Usage is stored by operation; the credits of each
 * month are one row. Every running service is notified of key changes.
 */
const keys = `
  CREATE TABLE keys (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    name text NOT NULL,
    plan text NOT NULL,
    created_at_s bigint NOT NULL,
    expires_at_s bigint, revoked_at_s bigint,
    account_id integer NOT NULL,
    origin text NOT NULL DEFAULT 'created'
  );
  CREATE INDEX keys_account ON keys (account_id);

  -- Which services a seeded key belongs to, each by the chains that it writes.
  CREATE TABLE key_seeds (
    key_id integer NOT NULL REFERENCES keys ON DELETE CASCADE,
    chains text[] NOT NULL
  );
  CREATE INDEX key_seeds_key ON key_seeds (key_id);

  CREATE TABLE usage (
    key_id integer NOT NULL REFERENCES keys,
    day integer NOT NULL, operation text NOT NULL,
    request_count bigint NOT NULL, failed_count bigint NOT NULL, cost bigint NOT NULL,
    PRIMARY KEY (key_id, day, operation)
  ) WITH (fillfactor = 70);

  CREATE TABLE credits (
    account_id integer NOT NULL, period integer NOT NULL,
    cost bigint NOT NULL, request_count bigint NOT NULL,
    PRIMARY KEY (account_id, period)
  ) WITH (fillfactor = 70);

  CREATE TABLE usage_sessions (
    id uuid PRIMARY KEY, sequence bigint NOT NULL, written_at_s bigint NOT NULL
  ) WITH (fillfactor = 70);

  -- Open WebSockets by process: those of a process that stopped writing usage do not count.
  CREATE TABLE key_sockets (
    key_id integer NOT NULL REFERENCES keys ON DELETE CASCADE,
    session uuid NOT NULL REFERENCES usage_sessions ON DELETE CASCADE, count integer NOT NULL,
    PRIMARY KEY (key_id, session)
  ) WITH (fillfactor = 70);

  CREATE FUNCTION notify_key() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('chaintape_keys', coalesce(NEW.id, OLD.id)::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER keys_notify AFTER INSERT OR UPDATE OR DELETE ON keys
    FOR EACH ROW EXECUTE FUNCTION notify_key();`

/** Every table of 1.0.0. */
export const m001Schema = {
  version: 1,
  name: 'schema',
  sql: [log, trust, records, history, holders, wallets, keys].join('\n'),
}
