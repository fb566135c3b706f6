import type { Pool } from 'pg'
import type { PairRecord } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { TokenRecord, TokenSupply } from '../../model/token.ts'
import type { IgnoredContract } from '../../model/trust/ignoredContracts.ts'
import { pairRows, supplyRows, tokenRows } from '../recordRows.ts'

/** Returns the stored ones, in no order. */
export async function findTokens(
  pool: Pool,
  chainId: number,
  addresses: readonly string[],
): Promise<TokenRecord[]> {
  const { rows } = await pool.query<object>({
    name: 'find-tokens',
    text: `SELECT ${tokenRows.selected} FROM tokens WHERE chain = $1 AND address = ANY($2::text[])`,
    values: [chainId, addresses],
  })
  return rows.map((row) => tokenRows.recordOf(row))
}

/** Returns the stored ones, in no order. */
export async function findPairs(
  pool: Pool,
  chainId: number,
  addresses: readonly string[],
): Promise<PairRecord[]> {
  const { rows } = await pool.query<object>({
    name: 'find-pairs',
    text: `SELECT ${pairRows.selected} FROM pairs WHERE chain = $1 AND address = ANY($2::text[])`,
    values: [chainId, addresses],
  })
  return rows.map((row) => pairRows.recordOf(row))
}

/** Pairs that are couples of tokens of these pools, in no order. */
export async function findPairsOfPools(
  pool: Pool,
  chainId: number,
  pools: readonly string[],
): Promise<PairRecord[]> {
  const { rows } = await pool.query<object>({
    name: 'find-couples',
    text: `SELECT ${pairRows.selected} FROM pairs WHERE chain = $1 AND pool = ANY($2::text[])`,
    values: [chainId, pools],
  })
  return rows.map((row) => pairRows.recordOf(row))
}

export type PairListQuery = { kind: PoolKind; afterId: number; limit: number }

/** Pairs of one kind by id, starting after `afterId`. */
export async function listPairs(
  pool: Pool,
  chainId: number,
  { kind, afterId, limit }: PairListQuery,
): Promise<{ id: number; address: string }[]> {
  const { rows } = await pool.query<{ id: number; address: string }>({
    name: 'list-pairs',
    text: `SELECT id, coalesce(pool, address) AS address FROM pairs WHERE chain = $1 AND kind = $2 AND id > $3
           ORDER BY id LIMIT $4`,
    values: [chainId, kind, afterId, limit],
  })
  return rows
}

export async function loadTokens(
  pool: Pool,
  chainId: number,
  tokenIds: readonly number[],
): Promise<TokenRecord[]> {
  const { rows } = await pool.query<object>({
    name: 'load-tokens',
    text: `SELECT ${tokenRows.selected} FROM tokens WHERE chain = $1 AND id = ANY($2::int[]) ORDER BY id`,
    values: [chainId, tokenIds],
  })
  return rows.map((row) => tokenRows.recordOf(row))
}

/** Returns the stored ones, by token id. */
export async function loadSupplies(
  pool: Pool,
  chainId: number,
  tokenIds: readonly number[],
): Promise<TokenSupply[]> {
  const { rows } = await pool.query<object>({
    name: 'load-supplies',
    text: `SELECT ${supplyRows.selected} FROM supplies WHERE chain = $1 AND id = ANY($2::int[]) ORDER BY id`,
    values: [chainId, tokenIds],
  })
  return rows.map((row) => supplyRows.recordOf(row))
}

type LeftOutRow = { address: string } & IgnoredContract['since']

/** Contracts whose events are ignored until they answer like pools. */
export async function loadIgnoredContracts(
  pool: Pool,
  chainId: number,
): Promise<IgnoredContract[]> {
  const { rows } = await pool.query<LeftOutRow>(
    `SELECT address, first_number AS number, first_hash AS hash, first_parent_number AS "parentNumber",
       first_parent_hash AS "parentHash"
     FROM left_out WHERE chain = $1 AND state = 'open' ORDER BY first_number, address`,
    [chainId],
  )
  return rows.map(({ address, ...since }) => ({ address, since }))
}
