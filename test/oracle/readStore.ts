import { Client, type ClientConfig } from 'pg'
import type { Kline } from '../../packages/server/src/model/klines/kline.ts'
import type { TokenSupply } from '../../packages/server/src/model/token.ts'
import type { ServedTrade } from './compareTrades.ts'

/** All stored data of one chain of a running service, as of one moment. */
export type StoredMarket = {
  cursor: { number: number; hash: string }
  pairs: ReadonlyMap<string, number>
  tokens: ReadonlyMap<string, number>
  supplies: ReadonlyMap<number, Omit<TokenSupply, 'tokenId'>>
  /** By token id, then by wallet. */
  balances: ReadonlyMap<number, ReadonlyMap<string, bigint>>
  /** Closed klines, by pair id and position of the interval. */
  klines: ReadonlyMap<string, readonly Kline[]>
  /** Trades by pair id. */
  trades: ReadonlyMap<number, readonly ServedTrade[]>
}

type Row = Record<string, string & number & boolean>

export async function readStore(connection: ClientConfig, chain: string): Promise<StoredMarket> {
  const client = new Client(connection)
  await client.connect()
  try {
    // One snapshot for all tables, although the service goes on writing.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return await readMarket(client, chain)
  } finally {
    await client.end()
  }
}

async function readMarket(client: Client, chain: string): Promise<StoredMarket> {
  const [found] = await rowsOf(
    client,
    `SELECT id, number, hash FROM chains JOIN cursors ON cursors.chain = chains.id
     WHERE name = $1`,
    chain,
  )
  if (!found) throw new Error(`Nothing is stored of the chain "${chain}".`)
  const read = (sql: string) => rowsOf(client, sql, String(found.id))
  const idOf = (row: Row): [string, number] => [row.address!, Number(row.id)]
  const pairs = (await read('SELECT address, id FROM pairs WHERE chain = $1')).map(idOf)
  const tokens = (await read('SELECT address, id FROM tokens WHERE chain = $1')).map(idOf)
  const supplies = await read('SELECT * FROM supplies WHERE chain = $1')
  const balances = await read('SELECT token_id, wallet, balance FROM balances WHERE chain = $1')
  const swaps = await read('SELECT * FROM swaps WHERE chain = $1 ORDER BY block, idx')
  return {
    cursor: { number: Number(found.number), hash: found.hash! },
    pairs: new Map(pairs),
    tokens: new Map(tokens),
    supplies: new Map(supplies.map((row) => [Number(row.id), supplyOf(row)])),
    balances: grouped(balances, tokenIdOf, (group) => {
      return new Map(group.map((row) => [row.wallet!, BigInt(row.balance!)]))
    }),
    klines: await readKlines(read),
    trades: grouped(swaps, pairIdOf, (group) => group.map(tradeOf)),
  }
}

async function readKlines(read: (sql: string) => Promise<Row[]>): Promise<StoredMarket['klines']> {
  const rows = [
    ...(await read('SELECT *, 0 AS interval FROM klines_s1 WHERE chain = $1 ORDER BY start_s')),
    ...(await read('SELECT *, 1 AS interval FROM klines_k1 WHERE chain = $1 ORDER BY start_s')),
    ...(await read('SELECT * FROM klines WHERE chain = $1 ORDER BY start_s')),
  ]
  return grouped(
    rows,
    (row) => `${row.pair_id} ${row.interval}`,
    (group) => group.map(klineOf),
  )
}

async function rowsOf(client: Client, sql: string, argument: string): Promise<Row[]> {
  return (await client.query<Row>(sql, [argument])).rows
}

function grouped<key, value>(
  rows: readonly Row[],
  keyOf: (row: Row) => key,
  combine: (rows: Row[]) => value,
): Map<key, value> {
  const groups = new Map<key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return new Map([...groups].map(([key, group]) => [key, combine(group)]))
}

const tokenIdOf = (row: Row) => Number(row.token_id)
const pairIdOf = (row: Row) => Number(row.pair_id)

function supplyOf(row: Row) {
  return {
    total: BigInt(row.total!),
    burnt: BigInt(row.burnt!),
    locked: BigInt(row.locked!),
    other: BigInt(row.other!),
    holders: Number(row.holders),
    isComplete: Boolean(row.is_complete),
  }
}

function klineOf(row: Row): Kline {
  const ohlcOf = (unit: 'usd' | 'native') => ({
    open: Number(row[`${unit}_open`]),
    high: Number(row[`${unit}_high`]),
    low: Number(row[`${unit}_low`]),
    close: Number(row[`${unit}_close`]),
  })
  return {
    startS: Number(row.start_s),
    usd: ohlcOf('usd'),
    native: ohlcOf('native'),
    volumeUsdE8: BigInt(row.volume_usd_e8!),
    volumeNativeRaw: BigInt(row.volume_native_raw!),
    count: Number(row.count),
  }
}

function tradeOf(row: Row): ServedTrade {
  const holdingOf = (holding: string | null | undefined) =>
    holding === null || holding === undefined ? null : BigInt(holding)
  return {
    blockNumber: Number(row.block),
    logIndex: Number(row.idx),
    txHash: row.tx_hash!,
    wallet: row.wallet!,
    isBuy: Boolean(row.is_buy),
    amount0: BigInt(row.amount0!),
    amount1: BigInt(row.amount1!),
    reserve0: BigInt(row.reserve0 ?? 0),
    reserve1: BigInt(row.reserve1 ?? 0),
    priceRaw: Number(row.price_raw),
    holding0: holdingOf(row.holding0),
    holding1: holdingOf(row.holding1),
    usdE8: BigInt(row.amount_usd_e8!),
    nativeRaw: BigInt(row.amount_native_raw!),
  }
}
