import type { TokenHolder, TokenRow } from '@chaintape/protocol'
import { rest } from '../data/tape.ts'
import { useQuery } from '../data/useQuery.ts'
import { shareText, usdText } from '../lib/format.ts'
import { Amount, Usd, WalletLink } from '../parts/values.tsx'
import { type Column, VirtualTable } from '../parts/virtualTable.tsx'

const everyMs = 30_000

const kinds = ['wallet', 'creator', 'contract', 'pool', 'lock', 'burn'] as const

const columns = (chain: string): readonly Column<TokenHolder>[] => [
  {
    name: 'rank',
    label: '#',
    width: '3rem',
    rank: 2,
    cell: (_row, index) => <span class="soft number">{index + 1}</span>,
  },
  {
    ...{ name: 'holder', label: 'Holder', width: 'auto', isText: true },
    cell: (row) => (
      <span class="token-cell">
        <WalletLink address={row.holder} chain={chain} />
        <span class={`badge kind-${row.kind}`}>{row.addr_alias || row.kind}</span>
      </span>
    ),
  },
  {
    ...{ name: 'share', label: 'Share', width: '8rem' },
    cell: (row) => (
      <span class="share">
        <span
          class="share-bar"
          aria-hidden="true"
          style={{ width: `${Math.min(1, row.balance_ratio) * 100}%` }}
        />
        <span class="number">{shareText(row.balance_ratio)}</span>
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
    ...{
      name: 'profit',
      label: 'Profit',
      hint: 'Realised and not, by average cost',
      width: '7rem',
      rank: 3,
    },
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

export function Holders({ id, token }: { id: string; token: TokenRow }) {
  const { data, error } = useQuery(
    id,
    (signal) => rest.topHolders(id, { limit: 100 }, { signal }),
    {
      everyMs,
    },
  )
  const rows = data ?? []
  return (
    <>
      {rows.length > 0 && <Distribution rows={rows} />}
      <VirtualTable
        {...{ label: 'Holders', columns: columns(token.chain), rows, rowHeight: 32 }}
        rowKey={({ holder }) => holder}
        empty={error ?? (data === undefined ? 'Loading…' : 'Nobody is known to have it.')}
      />
    </>
  )
}
