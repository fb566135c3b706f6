import type { TokenRow } from '@chaintape/protocol'
import { Ago, Amount, Percent, Price, Usd } from '../parts/values.tsx'
import type { Column } from '../parts/virtualTable.tsx'

/** A column with the number that it is sorted by. */
export type MarketColumn = Column<TokenRow> & { by?: (row: TokenRow) => number }

const percent = (
  name: string,
  label: string,
  rank: 1 | 2 | 3,
  value: (row: TokenRow) => string,
): MarketColumn => ({
  ...{ name, label, rank, width: '5.5rem', by: (row) => Number(value(row)) },
  cell: (row) => <Percent value={value(row)} />,
})

const usd = (
  name: string,
  label: string,
  rank: 1 | 2 | 3,
  value: (row: TokenRow) => string,
): MarketColumn => ({
  ...{ name, label, rank, width: '6.5rem', by: (row) => Number(value(row)) },
  cell: (row) => <Usd value={value(row)} />,
})

const count = (
  name: string,
  label: string,
  hint: string,
  value: (row: TokenRow) => number,
): MarketColumn => ({
  ...{ name, label, hint, rank: 3, width: '5.5rem', by: value },
  cell: (row) => <Amount value={value(row)} />,
})

export const TokenCell = ({ row }: { row: TokenRow }) => (
  <a class="token-cell" href={`/token/${row.token}-${row.chain}`}>
    <strong>{row.symbol || '?'}</strong>
    <span class="soft name">{row.name}</span>
    {row.issue_platform !== '' && <span class="badge">{row.issue_platform}</span>}
    {Number(row.risk_score ?? 0) >= 60 && (
      <span class="badge warn" title={`Risk score ${row.risk_score} of 100`}>
        risk
      </span>
    )}
  </a>
)

export const marketColumns: readonly MarketColumn[] = [
  {
    name: 'rank',
    label: '#',
    width: '2.5rem',
    rank: 2,
    cell: (_row, index) => <span class="soft number">{index + 1}</span>,
  },
  {
    name: 'token',
    label: 'Token',
    width: 'auto',
    isText: true,
    cell: (row) => <TokenCell row={row} />,
  },
  {
    ...{ name: 'price', label: 'Price', width: '8rem', by: (row) => Number(row.current_price_usd) },
    cell: (row) => <Price value={row.current_price_usd} />,
  },
  percent('change5m', '5m', 3, (row) => row.token_price_change_5m),
  percent('change1h', '1h', 2, (row) => row.token_price_change_1h),
  percent('change24h', '24h', 1, (row) => row.price_change_24h),
  usd('volume', 'Volume 24h', 1, (row) => row.tx_volume_u_24h),
  count('trades', 'Trades', 'Swaps in 24 hours', (row) => row.tx_count_24h),
  count(
    'makers',
    'Makers',
    'Distinct wallets that traded in 24 hours',
    (row) => row.token_makers_24h,
  ),
  usd('liquidity', 'Liquidity', 2, (row) => row.tvl),
  usd('mcap', 'Mkt cap', 2, (row) => row.market_cap),
  count('holders', 'Holders', 'Addresses that have some of it', (row) => row.holders),
  {
    ...{ name: 'age', label: 'Age', hint: 'Since its first pair', rank: 3, width: '4.5rem' },
    by: (row) => row.launch_at,
    cell: (row) => <Ago timeS={row.launch_at} />,
  },
]
