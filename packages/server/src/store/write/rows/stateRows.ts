import type { Client } from 'pg'
import type { BlockRef } from '../../../model/block.ts'
import type { MarketEvent } from '../../../model/marketEvent.ts'
import type { BlockWrite } from '../../blockWrite.ts'
import { pairRows, type Row, supplyRows, tokenRows } from '../../recordRows.ts'
import { blockOf } from './batchRows.ts'
import { CopyBytes, copyBinary } from './copyBinary.ts'

export const balanceStageSql = `
  CREATE TEMP TABLE IF NOT EXISTS balance_stage (token_id integer, wallet text, balance numeric)
  ON COMMIT DELETE ROWS`
const stageFields = 3

/**
 * Sets balances to their values after the writes, or for a revert to those before. A zero balance
 * has no row.
 */
export async function writeBalances(
  client: Client,
  writes: readonly BlockWrite[],
  noteUpdates: (tokenId: number) => void,
): Promise<void> {
  /**
   * Indexed by token and wallet: only the last of several changes in one transaction is written.
   */
  const newest = new Map<number, Map<string, bigint>>()
  for (const { balances, reverted } of writes) {
    for (const { tokenId, wallet, before, after } of balances) {
      let wallets = newest.get(tokenId)
      if (wallets === undefined) {
        wallets = new Map()
        newest.set(tokenId, wallets)
      }
      wallets.set(wallet, reverted === null ? after : before)
    }
  }
  if (newest.size === 0) return
  const chainId = writes[0]!.chainId
  const rows = new CopyBytes()
  let hasZero = false
  for (const [tokenId, wallets] of newest)
    for (const [wallet, balance] of wallets) {
      rows.row(stageFields)
      rows.integer(tokenId)
      rows.text(wallet)
      rows.numeric(balance)
      hasZero ||= balance === 0n
      noteUpdates(tokenId)
    }
  await copyBinary(client, 'balance_stage', rows)
  if (hasZero) await client.query(deleteZerosSql, [chainId])
  await client.query(upsertSql, [chainId])
}

const deleteZerosSql = `
  DELETE FROM balances b USING balance_stage s
  WHERE s.balance = 0 AND b.chain = $1 AND b.token_id = s.token_id AND b.wallet = s.wallet`

const upsertSql = `
  INSERT INTO balances (chain, token_id, wallet, balance, is_large)
  SELECT $1::smallint, s.token_id, s.wallet, s.balance, s.balance >= coalesce(h.bar, 0)
  FROM balance_stage s LEFT JOIN holder_bars h ON h.chain = $1 AND h.token_id = s.token_id
  WHERE s.balance <> 0
  ON CONFLICT (chain, token_id, wallet)
  DO UPDATE SET balance = excluded.balance, is_large = excluded.is_large`

/** Tables with one overwritten row per token or pair; key (chain, id). */
const stateColumns = {
  tokens: tokenRows.columns,
  pairs: pairRows.columns,
  supplies: supplyRows.columns,
  launches: ['state', 'pair_id', 'block', 'time_s'],
} as const

type StateTable = keyof typeof stateColumns
const stateTables = Object.keys(stateColumns) as StateTable[]

type StateRows = Record<StateTable, Map<number, Row>>

/**
 * Writes records, supplies and launch states. Revertible blocks go one by one and keep the
 * overwritten rows; final blocks go together, and the last row of each key wins.
 */
export async function writeStates(client: Client, writes: readonly BlockWrite[]): Promise<void> {
  let final = emptyStates()
  for (const write of writes) {
    const block = blockOf(write)
    if (block === null) continue
    if (!isReversible(write)) {
      addStates(final, write, block)
      continue
    }
    await upsertStates(client, final)
    final = emptyStates()
    const rows = emptyStates()
    addStates(rows, write, block)
    const isLate = write.entries.every(({ type }) => type !== 'commit')
    await saveUndo(client, rows, block.number, isLate)
    await upsertStates(client, rows)
  }
  await upsertStates(client, final)
}

/** Late facts have no undo of their own: they become final with their block. */
export function isReversible({ entries }: BlockWrite): boolean {
  return entries.some(({ type, undo }) => type === 'late' || (type === 'commit' && undo !== null))
}

/** Restores rows that one block overwrote and removes rows that it created. */
export async function revertStates(client: Client, chainId: number, number: number): Promise<void> {
  for (const table of stateTables) {
    await client.query(
      `DELETE FROM ${table} t USING undo u
       WHERE u.chain = $1 AND u.block = $2 AND u.kind = '${table}' AND t.chain = u.chain AND t.id = u.id`,
      [chainId, number],
    )
    await client.query(
      `INSERT INTO ${table} SELECT r.* FROM undo u, jsonb_populate_record(null::${table}, u.before) r
       WHERE u.chain = $1 AND u.block = $2 AND u.kind = '${table}' AND u.before IS NOT NULL`,
      [chainId, number],
    )
  }
}

async function saveUndo(
  client: Client,
  rows: StateRows,
  number: number,
  isLate: boolean,
): Promise<void> {
  for (const table of stateTables) {
    if (rows[table].size === 0) continue
    const json = JSON.stringify([...rows[table].values()])
    // Late facts belong below the blocks since: if a later block overwrote the row, its saved value
    // is this block's result, and ours is what that block found.
    await client.query(
      `INSERT INTO undo (chain, kind, id, block, before)
       SELECT i.chain, '${table}', i.id, $2, CASE WHEN n.block IS NULL THEN to_jsonb(t) ELSE n.before END
       FROM jsonb_populate_recordset(null::${table}, $1) i
       LEFT JOIN ${table} t ON t.chain = i.chain AND t.id = i.id
       LEFT JOIN LATERAL (
         SELECT u.block, u.before FROM undo u
         WHERE u.chain = i.chain AND u.kind = '${table}' AND u.id = i.id AND u.block > $2
         ORDER BY u.block LIMIT 1
       ) n ON true
       ON CONFLICT DO NOTHING`,
      [json, number],
    )
    if (!isLate) continue
    await client.query(
      `UPDATE undo u SET before = to_jsonb(i) FROM jsonb_populate_recordset(null::${table}, $1) i
       WHERE u.chain = i.chain AND u.kind = '${table}' AND u.id = i.id AND u.block = (
         SELECT min(m.block) FROM undo m
         WHERE m.chain = i.chain AND m.kind = '${table}' AND m.id = i.id AND m.block > $2)`,
      [json, number],
    )
  }
}

async function upsertStates(client: Client, rows: StateRows): Promise<void> {
  for (const table of stateTables) {
    if (rows[table].size === 0) continue
    const assignments = stateColumns[table].map((column) => `${column} = excluded.${column}`)
    await client.query(
      `INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(null::${table}, $1)
       ON CONFLICT (chain, id) DO UPDATE SET ${assignments.join(', ')}`,
      [JSON.stringify([...rows[table].values()])],
    )
  }
}

function addStates(rows: StateRows, { chainId, events }: BlockWrite, block: BlockRef): void {
  for (const event of events) {
    const entry = stateRowOf(chainId, block, event)
    if (entry !== null) rows[entry.table].set(entry.id, entry.row)
  }
}

function stateRowOf(
  chain: number,
  block: BlockRef,
  event: MarketEvent,
): { table: StateTable; id: number; row: Row } | null {
  switch (event.type) {
    case 'token':
      return { table: 'tokens', id: event.token.id, row: tokenRows.rowOf(chain, event.token) }
    case 'pair':
      return { table: 'pairs', id: event.pair.id, row: pairRows.rowOf(chain, event.pair) }
    case 'supply': {
      const { supply } = event
      return { table: 'supplies', id: supply.tokenId, row: supplyRows.rowOf(chain, supply) }
    }
    case 'launch': {
      const { tokenId: id, state, pairId: pair_id } = event
      const row = { chain, id, state, pair_id, block: block.number, time_s: block.timeS }
      return { table: 'launches', id, row }
    }
    default:
      return null
  }
}

function emptyStates(): StateRows {
  return { tokens: new Map(), pairs: new Map(), supplies: new Map(), launches: new Map() }
}
