import type { Pool, PoolClient } from 'pg'
import type { LiquidityKind } from '../../model/pool.ts'
import { disprovedBlockReason } from '../../model/trust/doubt.ts'
import { inTransaction } from '../connection.ts'
import { storedHistoryColumns } from '../retention.ts'
import type { StoredCursor } from './chains.ts'

/** The part of a trade or liquidity change that the chain itself reports. */
export type AuditRow = {
  number: number
  index: number
  pairId: number
  txHash: string
  wallet: string
  amount0: bigint
  amount1: bigint
}

/** Stored rows of a range of blocks, at one moment. */
export type AuditRows = {
  cursor: StoredCursor
  /** Indexed by number, for canonical blocks that are still in the log. */
  hashes: ReadonlyMap<number, string>
  swaps: readonly AuditRow[]
  liquidity: readonly (AuditRow & { kind: LiquidityKind })[]
}

export type AuditRange = { storeName: string; chainId: number; from: number; to: number }

/** Reads of an audit, and the marks that it writes. */
export function createAuditReads(pool: Pool) {
  return {
    loadAuditRows: (range: AuditRange) => loadAuditRows(pool, range),
    loadMarkedBlocks: (chainId: number, limit: number) => loadMarkedBlocks(pool, chainId, limit),
    markUntrue: (chainId: number, blocks: readonly { number: number; hash: string }[]) =>
      markUntrue(pool, chainId, blocks),
    loadHoldingSample: (query: HoldingSampleQuery) => loadHoldingSample(pool, query),
  }
}

/** Null if another history has replaced the chain. */
function loadAuditRows(pool: Pool, range: AuditRange): Promise<AuditRows | null> {
  return inTransaction(pool, async (client) => {
    // Rows of a replaced history are being dropped; the same snapshot shows which chain they belong
    // to.
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
    const { storeName, chainId, from, to } = range
    const { rows: cursors } = await client.query<StoredCursor>(
      `SELECT seq, number, hash, finalized, ${storedHistoryColumns}
       FROM cursors JOIN chains ON chains.id = cursors.chain WHERE chain = $1 AND name = $2`,
      [chainId, storeName],
    )
    const cursor = cursors[0]
    if (cursor === undefined) return null
    const values = [chainId, from, to]
    const hashes = await loadHashes(client, values)
    const read = <row extends RawRow>(columns: string, table: string) =>
      client.query<row>(
        `SELECT ${columns} FROM ${table} WHERE chain = $1 AND block BETWEEN $2 AND $3 ORDER BY block, idx`,
        values,
      )
    const swaps = await read<RawRow>(rowColumns, 'swaps')
    const liquidity = await read<RawRow & { kind: LiquidityKind }>(
      `${rowColumns}, kind`,
      'liquidity',
    )
    return { cursor, hashes, swaps: swaps.rows.map(rowOf), liquidity: liquidity.rows.map(rowOf) }
  })
}

const rowColumns = `block AS number, idx AS index, pair_id AS "pairId", tx_hash AS "txHash", wallet, amount0, amount1`

type RawRow = Omit<AuditRow, 'amount0' | 'amount1'> & { amount0: string; amount1: string }

function rowOf<row extends RawRow>(row: row) {
  return { ...row, amount0: BigInt(row.amount0), amount1: BigInt(row.amount1) }
}

async function loadHashes(client: PoolClient, values: number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ number: number; hash: string }>(
    `SELECT number, hash FROM (
       SELECT DISTINCT ON (number) number, hash, type FROM log
       WHERE chain = $1 AND number BETWEEN $2 AND $3 AND type IN ('commit', 'revert')
       ORDER BY number, seq DESC
     ) newest WHERE type = 'commit'`,
    values,
  )
  return new Map(rows.map(({ number, hash }) => [number, hash]))
}

/** A stored block with a mark. */
type MarkedBlock = { number: number; hash: string; reason: string; digest: string | null }

/** The newest unverified blocks, oldest first. */
async function loadMarkedBlocks(
  pool: Pool,
  chainId: number,
  limit: number,
): Promise<MarkedBlock[]> {
  const { rows } = await pool.query<MarkedBlock>(
    `SELECT number, hash, reason, digest FROM doubtful_blocks WHERE chain = $1 ORDER BY number DESC LIMIT $2`,
    [chainId, limit],
  )
  return rows.reverse()
}

/** Marks blocks as wrong, so that the chain is read again. */
async function markUntrue(
  pool: Pool,
  chainId: number,
  blocks: readonly { number: number; hash: string }[],
): Promise<void> {
  for (const { number, hash } of blocks)
    await pool.query(
      `INSERT INTO doubtful_blocks (chain, number, hash, reason) VALUES ($1, $2, $3, $4)
       ON CONFLICT (chain, number) DO UPDATE SET reason = excluded.reason, digest = NULL`,
      [chainId, number, hash, disprovedBlockReason],
    )
}

/** A wallet's stored balance of a token. */
type StoredHolding = { token: string; wallet: string; balance: bigint }

export type HoldingSampleQuery = {
  chainId: number
  /** Starts with the first token from this id on whose holders are complete. */
  fromTokenId: number
  tokensMax: number
  holdersMax: number
}

/** Balances and their block. */
export type HoldingSample = {
  number: number
  hash: string
  tokenCount: number
  holdings: StoredHolding[]
}

/** Some large holders of some tokens, at one moment. */
function loadHoldingSample(pool: Pool, query: HoldingSampleQuery): Promise<HoldingSample> {
  const { chainId, fromTokenId, tokensMax, holdersMax } = query
  return inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
    const { rows: cursors } = await client.query<Omit<HoldingSample, 'holdings'>>(
      `SELECT number, hash, (SELECT coalesce(max(id) + 1, 0) FROM tokens WHERE chain = $1) AS "tokenCount"
       FROM cursors WHERE chain = $1`,
      [chainId],
    )
    const { rows } = await client.query<{ token: string; wallet: string; balance: string }>(
      `SELECT t.address AS token, h.wallet, h.balance
       FROM (
         SELECT id FROM supplies WHERE chain = $1 AND id >= $2 AND is_complete ORDER BY id LIMIT $3
       ) s
       JOIN tokens t ON t.chain = $1 AND t.id = s.id
       CROSS JOIN LATERAL (
         SELECT wallet, balance FROM balances b WHERE b.chain = $1 AND b.token_id = s.id AND b.is_large LIMIT $4
       ) h`,
      [chainId, fromTokenId, tokensMax, holdersMax],
    )
    const holdings = rows.map((row) => ({ ...row, balance: BigInt(row.balance) }))
    return { ...cursors[0]!, holdings }
  })
}
