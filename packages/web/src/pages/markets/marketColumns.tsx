import { splitId, useChains } from '../../data/chains.ts'
import { Ago, Amount, Percent, Price, Usd } from '../../parts/values.tsx'
import type { Column } from '../../parts/virtualTable.tsx'
import type { MarketRow } from './marketRow.ts'

/** A column with the number that it is sorted by. */
export type MarketColumn = Column<MarketRow> & { by?: (row: MarketRow) => number }

const percent = (
  name: string,
  label: string,
  rank: 1 | 2 | 3,
  value: (row: MarketRow) => string,
): MarketColumn => ({
  name,
  label,
  rank,
  width: '5rem',
  by: (row) => Number(value(row)),
  cell: (row) => <Percent value={value(row)} />,
})

const usd = (
  name: string,
  label: string,
  rank: 1 | 2 | 3,
  value: (row: MarketRow) => string | undefined,
): MarketColumn => ({
  name,
  label,
  rank,
  width: '6.5rem',
  by: (row) => Number(value(row) ?? 0),
  cell: (row) => <Usd value={value(row)} />,
})

const count = (
  name: string,
  label: string,
  hint: string,
  value: (row: MarketRow) => number | undefined,
): MarketColumn => ({
  name,
  label,
  hint,
  rank: 3,
  width: '5rem',
  by: (row) => value(row) ?? 0,
  cell: (row) => <Amount value={value(row)} />,
})

/** Which chain it is on, where there are several. */
function ChainBadge({ id }: { id: string }) {
  const { served } = useChains()
  return served.length > 1 ? <span class="badge chain">{splitId(id)[1]}</span> : null
}

// As `risk_level` of reports has it.
const riskMax = 55

const NameCell = ({ row }: { row: MarketRow }) => (
  <a class="token-cell" href={row.href}>
    <strong>
      {row.symbol || '?'}
      {row.quote !== null && <span class="soft">/{row.quote || '?'}</span>}
    </strong>
    <span class="soft name">{row.name}</span>
    <ChainBadge id={row.id} />
    {row.badge !== '' && <span class="badge platform">{row.badge}</span>}
    {(row.riskScore ?? 0) > riskMax && (
      <span class="badge warn" title={`Risk score ${row.riskScore} of 100`}>
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
  },
  {
    name: 'token',
    label: 'Token',
    width: 'auto',
    isText: true,
    cell: (row) => <NameCell row={row} />,
  },
  {
    name: 'price',
    label: 'Price',
    width: '7rem',
    by: (row) => Number(row.priceUsd),
    cell: (row) => <Price value={row.priceUsd} />,
  },
  percent('change5m', '5m', 3, (row) => row.change5m),
  percent('change1h', '1h', 2, (row) => row.change1h),
  percent('change24h', '24h', 1, (row) => row.change24h),
  usd('volume', 'Volume 24h', 1, (row) => row.volumeUsd),
  count('trades', 'Trades', 'Swaps in 24 hours', (row) => row.trades),
  count('makers', 'Makers', 'Distinct wallets that traded in 24 hours', (row) => row.makers),
  { ...usd('liquidity', 'Liquidity', 2, (row) => row.liquidityUsd), hint: 'USD in its main pair' },
  usd('mcap', 'Mkt cap', 2, (row) => row.mcapUsd),
  count('holders', 'Holders', 'Addresses with a balance', (row) => row.holders),
  {
    name: 'age',
    label: 'Age',
    hint: 'Since its first pair',
    rank: 3,
    width: '4.5rem',
    by: (row) => row.createdS,
    cell: (row) => <Ago timeS={row.createdS} />,
  },
]

/** What only tokens have is left out. */
export const pairColumns: readonly MarketColumn[] = marketColumns
  .filter(({ name }) => name !== 'mcap' && name !== 'holders')
  .map((column) => (column.name === 'token' ? { ...column, label: 'Pair' } : column))
