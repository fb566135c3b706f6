import type { Pool } from 'pg'
import type { PairRecord } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import type { TokenRecord, TokenSupply } from '../../model/token.ts'

const tokenColumns = `id, address, symbol, name, decimals,
  is_unreadable AS "isUnreadable", seen_at_s AS "seenAtS"`
const pairColumns = `id, address, kind, token0_id AS "token0Id", token1_id AS "token1Id", factory, amm,
  is_trusted AS "isTrusted", fee_ppm AS "feePpm", created_at_s AS "createdAtS", platform,
  venue, params, pool, other_ids AS "otherIds"`

/** Those that are stored, in no order. */
export async function findTokens(
  pool: Pool,
  chainId: number,
  addresses: readonly string[],
): Promise<TokenRecord[]> {
  const { rows } = await pool.query<TokenRecord>({
    name: 'find-tokens',
    text: `SELECT ${tokenColumns} FROM tokens WHERE chain = $1 AND address = ANY($2::text[])`,
    values: [chainId, addresses],
  })
  return rows
}

/** Those that are stored, in no order. */
export async function findPairs(
  pool: Pool,
  chainId: number,
  addresses: readonly string[],
): Promise<PairRecord[]> {
  const { rows } = await pool.query<PairRow>({
    name: 'find-pairs',
    text: `SELECT ${pairColumns} FROM pairs WHERE chain = $1 AND address = ANY($2::text[])`,
    values: [chainId, addresses],
  })
  return rows.map(pairOf)
}

/** Pairs that are couples of tokens of one of these pools, in no order. */
export async function findCouples(
  pool: Pool,
  chainId: number,
  pools: readonly string[],
): Promise<PairRecord[]> {
  const { rows } = await pool.query<PairRow>({
    name: 'find-couples',
    text: `SELECT ${pairColumns} FROM pairs WHERE chain = $1 AND pool = ANY($2::text[])`,
    values: [chainId, pools],
  })
  return rows.map(pairOf)
}

type PairRow = Omit<PairRecord, 'params' | 'otherIds'> & {
  /** Null: none. */
  params: string | null
  otherIds: string | null
}

function pairOf({ params, otherIds, ...pair }: PairRow): PairRecord {
  return {
    ...pair,
    params: params?.split(' ').map(BigInt) ?? [],
    otherIds: otherIds?.split(' ').map(Number) ?? [],
  }
}

export type PairListQuery = { kind: PoolKind; afterId: number; limit: number }

/** Of one kind, by id, from the one after `afterId` on. */
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
  const { rows } = await pool.query<TokenRecord>({
    name: 'load-tokens',
    text: `SELECT ${tokenColumns} FROM tokens WHERE chain = $1 AND id = ANY($2::int[]) ORDER BY id`,
    values: [chainId, tokenIds],
  })
  return rows
}

type SupplyRow = {
  id: number
  total: string
  burnt: string
  locked: string
  other: string
  holders: number
  isComplete: boolean
}

/** Those that are stored, by token id. */
export async function loadSupplies(
  pool: Pool,
  chainId: number,
  tokenIds: readonly number[],
): Promise<TokenSupply[]> {
  const { rows } = await pool.query<SupplyRow>({
    name: 'load-supplies',
    text: `SELECT id, total, burnt, locked, other, holders, is_complete AS "isComplete"
           FROM supplies WHERE chain = $1 AND id = ANY($2::int[]) ORDER BY id`,
    values: [chainId, tokenIds],
  })
  return rows.map(({ id, total, burnt, locked, other, holders, isComplete }) => ({
    tokenId: id,
    total: BigInt(total),
    burnt: BigInt(burnt),
    locked: BigInt(locked),
    other: BigInt(other),
    holders,
    isComplete,
  }))
}
