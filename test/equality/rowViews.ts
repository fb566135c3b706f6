// The stored rows in a form independent of the schema: a key, and the row with public ids. A schema
// change edits this file; the results of its queries must stay the same.
const token = (id: string) => `(SELECT address FROM tokens WHERE id = ${id})`
const pair = `(SELECT address FROM pairs WHERE id = t.pair_id)`

const rowsOf = (table: string, key: string, without: readonly string[], more = '{}') => {
  const left = ['chain', ...without].map((column) => ` - '${column}'`).join('')
  const members = more === '{}' ? '' : ` || jsonb_build_object(${more})`
  return `SELECT ${key} AS key, (to_jsonb(t)${left}${members})::text AS row FROM ${table} t ORDER BY 1`
}

const trade = "block || ' ' || idx"
// Token klines are stored with -1 - id as their pair id.
const market = `coalesce(${pair}, 'token ' || ${token('-1 - t.pair_id')})`
const kline = (interval: string) => `${market} || ' ' || ${interval} || ' ' || start_s`

/** Queries by the name of their view. They read all rows: the tables have one chain. */
export const rowViews: Readonly<Record<string, string>> = {
  tokens: rowsOf('tokens', 'address', ['id']),
  pairs: rowsOf(
    'pairs',
    'address',
    ['id', 'token0_id', 'token1_id'],
    `'token0', ${token('token0_id')}, 'token1', ${token('token1_id')}`,
  ),
  supplies: rowsOf('supplies', token('t.id'), ['id']),
  launches: rowsOf('launches', token('t.id'), ['id', 'pair_id'], `'pair', ${pair}`),
  swaps: rowsOf('swaps', trade, ['pair_id'], `'pair', ${pair}`),
  liquidity: rowsOf('liquidity', trade, ['pair_id'], `'pair', ${pair}`),
  's1 klines': rowsOf('klines_s1', kline("'s1'"), ['pair_id']),
  'k1 klines': rowsOf('klines_k1', kline("'k1'"), ['pair_id']),
  klines: rowsOf('klines', kline('interval'), ['pair_id', 'interval']),
  // `is_large` only controls an index.
  balances: rowsOf('balances', `${token('token_id')} || ' ' || wallet`, ['token_id', 'is_large']),
  cursors: rowsOf('cursors', "'local'", []),
}
