import type { Client } from 'pg'
import type { BlockWrite } from '../../blockWrite.ts'
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
