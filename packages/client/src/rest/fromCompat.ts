import { formatId, type TokenRow } from '@chaintape/protocol'
import type { Operations } from './operations.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the compatible form has is turned into what is typed
type Rows = any

/** Members that were not selected are absent. */
const changed = (row: Rows, name: string, change: (value: Rows) => unknown): Rows =>
  row[name] === undefined ? row : { ...row, [name]: change(row[name]) }

const rfc3339 = (timeS: number) => new Date(timeS * 1_000).toISOString().replace('.000', '')

/**
 * A service in compatibility mode answers a few operations in other units
 * (docs/reference/compat.md). These changes make them as everywhere else, so that programs need not
 * care which mode a service runs in.
 */
const changes: { readonly [name in keyof Operations]?: (data: Rows, body: Rows) => unknown } = {
  tokenBatch: (rows: readonly TokenRow[], { token_ids: ids }: { token_ids: readonly string[] }) => {
    const byId = new Map(rows.map((row) => [formatId({ ...row, address: row.token }), row]))
    // Keyed as the caller wrote the id; addresses of some chains are case-insensitive.
    const found = ids.map((id) => [id, byId.get(id) ?? byId.get(id.toLowerCase())] as const)
    return Object.fromEntries(found.filter(([, row]) => row !== undefined))
  },
  addressTxs: (page) =>
    changed(page, 'result', (rows) => rows.map((row: Rows) => changed(row, 'time', rfc3339))),
  walletInfo: (info) => changed(info, 'total_win_ratio', (ratio) => String(Number(ratio) / 100)),
  walletTokens: (rows) =>
    rows.map(({ total_transfer_in_amount, total_transfer_out_amount, ...row }: Rows) =>
      changed(row, 'last_txn_time', rfc3339),
    ),
  smartWallets: (rows) =>
    rows.map((row: Rows) =>
      changed(changed(row, 'last_trade_time', Number), 'tag_items', () => []),
    ),
}

/** The answer itself, from a body that may have the envelope. */
export function answerOf(name: keyof Operations, body: Rows, sent: unknown): unknown {
  const isWrapped = body?.data_type === 1 && body.status === 1 && 'data' in body
  if (!isWrapped) return body
  const { data } = body
  const change = changes[name]
  return change === undefined ? data : change(data, sent)
}
