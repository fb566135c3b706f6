import type { Holders as HoldersNews, TokenHolder, TokenRow } from '@chaintape/protocol'
import { useMemo, useState } from 'preact/hooks'
import { rest, useStream } from '../../data/tape.ts'
import { useQuery } from '../../data/useQuery.ts'
import { countText, shareText, usdText } from '../../lib/format.ts'
import { createPacedTask } from '../../lib/store.ts'
import { Amount, Usd, WalletLink } from '../../parts/values.tsx'
import { type Column, VirtualTable } from '../../parts/virtualTable.tsx'

// Those behind the largest twenty are not pushed.
const everyMs = 60_000
const paceMs = 3_000

const kinds = ['wallet', 'creator', 'contract', 'pool', 'lock', 'burn'] as const

const columns = (chain: string): readonly Column<TokenHolder>[] => [
  {
    name: 'rank',
    label: '#',
    width: '3rem',
    rank: 2,
  },
  {
    name: 'holder',
    label: 'Holder',
    width: 'auto',
    isText: true,
    cell: (row) => (
      <span class="token-cell">
        <WalletLink address={row.holder} chain={chain} />
        <span class={`badge kind-${row.kind}`}>{row.addr_alias || row.kind}</span>
      </span>
    ),
  },
  {
    name: 'share',
    label: 'Share',
    width: '8rem',
    cell: (row) => (
      <span class="share">
        <span
          class="share-bar"
          aria-hidden="true"
          style={{ width: `${Math.min(1, row.balance_ratio) * 100}%` }}
        />
        <span class="number">{row.balance_ratio === 0 ? '–' : shareText(row.balance_ratio)}</span>
      </span>
    ),
  },
  {
    name: 'amount',
    label: 'Amount',
    width: '7rem',
    rank: 2,
    cell: (row) => <Amount value={row.amount_cur} />,
  },
  { name: 'worth', label: 'Worth', width: '7rem', cell: (row) => <Usd value={row.balance_usd} /> },
  {
    name: 'profit',
    label: 'Profit',
    hint: 'Realized and unrealized, by average cost',
    width: '7rem',
    rank: 3,
    cell: ({ total_profit: profit }) => (
      <span class={`number ${(profit ?? 0) > 0 ? 'up' : (profit ?? 0) < 0 ? 'down' : 'flat'}`}>
        {profit === undefined ? '–' : usdText(profit)}
      </span>
    ),
  },
]

/** The shares of each kind of holder among the largest hundred; the rest is everybody else's. */
function Distribution({ rows }: { rows: readonly TokenHolder[] }) {
  const shares = kinds.map((kind) => ({
    kind,
    share: rows.filter((row) => row.kind === kind).reduce((sum, row) => sum + row.balance_ratio, 0),
  }))
  const rest = Math.max(0, 1 - shares.reduce((sum, { share }) => sum + share, 0))
  const all = [...shares, { kind: 'others', share: rest }].filter(({ share }) => share >= 0.0005)
  return (
    <figure class="distribution">
      <div class="distribution-bar" aria-hidden="true">
        {all.map(({ kind, share }) => (
          <span key={kind} class={`kind-${kind}`} style={{ width: `${share * 100}%` }} />
        ))}
      </div>
      <figcaption>
        {all.map(({ kind, share }) => (
          <span key={kind} class="legend">
            <span class={`dot kind-${kind}`} aria-hidden="true" />
            {kind} <span class="number">{shareText(share)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

/** The rows with the balances that were pushed since they were asked for, largest first. */
function balancedRows(
  rows: readonly TokenHolder[],
  { top }: Pick<HoldersNews, 'top'>,
  priceUsd: number,
): readonly TokenHolder[] {
  const pushed = new Map(top.map((change) => [change.address, change]))
  return rows
    .map((row) => {
      const { amount, balance_ratio: ratio } = pushed.get(row.holder) ?? {}
      if (amount === undefined || amount === null) return row
      const balance = { amount_cur: Number(amount), balance_ratio: Number(ratio) }
      return { ...row, ...balance, balance_usd: balance.amount_cur * priceUsd }
    })
    .sort((a, b) => b.amount_cur - a.amount_cur)
}

/** Who is not among the rows, or is not among the largest any more, is asked for. */
const isUnknown = (rows: readonly TokenHolder[], { top }: HoldersNews) =>
  top.some(
    ({ address, amount }) => amount === null || !rows.some(({ holder }) => holder === address),
  )

/** The largest holders and how many there are, as they change. */
function useHolders(id: string, token: TokenRow) {
  const [news, setNews] = useState<HoldersNews | null>(null)
  const [count, setCount] = useState<number | null>(null)
  const [rows, setRows] = useState<readonly TokenHolder[] | null>(null)
  const { error, again } = useQuery(
    id,
    async (signal) => setRows(await rest.topHolders(id, { limit: 100 }, { signal })),
    { everyMs },
  )
  const askAgain = useMemo(() => createPacedTask(again, paceMs), [id])
  useStream(
    id,
    (tape) => tape.holders(id),
    (pushed) => {
      const priceUsd = Number(token.current_price_usd)
      setNews(pushed)
      // A reorg while the line was lost: it is as many as before again.
      setCount(pushed.retracted ? pushed.holders_before : pushed.holders)
      setRows((before) => before && balancedRows(before, pushed, priceUsd))
      if (rows !== null && isUnknown(rows, pushed)) askAgain()
    },
  )
  return { rows, error, count: count ?? token.holders, isComplete: news?.holders_complete }
}

export function Holders({ id, token }: { id: string; token: TokenRow }) {
  const { rows, error, count, isComplete } = useHolders(id, token)
  return (
    <>
      <p class="holder-count">
        <strong class="number">{countText(count)}</strong> <span class="soft">holders</span>
        {isComplete === false && (
          <span class="badge" title="Transfers before the first indexed block are not counted">
            not all known
          </span>
        )}
      </p>
      {Number(token.total) > 0 && rows !== null && rows.length > 0 && <Distribution rows={rows} />}
      <VirtualTable
        label="Holders"
        columns={columns(token.chain)}
        rows={rows ?? []}
        rowHeight={32}
        rowKey={({ holder }) => holder}
        empty={error ?? (rows === null ? 'Loading…' : 'No known holders.')}
      />
    </>
  )
}
