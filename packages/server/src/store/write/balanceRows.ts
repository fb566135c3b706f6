import type { Client } from 'pg'
import type { BlockWrite } from '../blockWrite.ts'
import { copyRows, copyText } from './copyText.ts'

export const balanceStageSql = `
  CREATE TEMP TABLE IF NOT EXISTS balance_stage (token_id integer, wallet text, balance numeric)
  ON COMMIT DELETE ROWS`

/** Sets balances to what they are after the writes, or for a revert to what they were before it. Zero is no row. */
export async function writeBalances(
  client: Client,
  writes: readonly BlockWrite[],
  noteUpdates: (tokenId: number) => void,
): Promise<void> {
  const newest = new Map<string, { tokenId: number; line: string; isZero: boolean }>()
  for (const { balances, reverted } of writes) {
    for (const { tokenId, wallet, before, after } of balances) {
      const balance = reverted === null ? after : before
      newest.set(`${tokenId} ${wallet}`, {
        tokenId,
        line: `${tokenId}\t${copyText(wallet)}\t${balance}\n`,
        isZero: balance === 0n,
      })
    }
  }
  if (newest.size === 0) return
  const chainId = writes[0]!.chainId
  const rows = [...newest.values()]
  await copyRows(
    client,
    'balance_stage',
    rows.map(({ line }) => line),
  )
  if (rows.some(({ isZero }) => isZero)) await client.query(deleteZerosSql, [chainId])
  await client.query(upsertSql, [chainId])
  for (const { tokenId } of rows) noteUpdates(tokenId)
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
