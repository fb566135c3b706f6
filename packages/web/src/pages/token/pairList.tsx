import type { TokenPair } from '@chaintape/protocol'
import { figureOf } from '../../lib/format.ts'
import { Ago, Percent, Price, Usd } from '../../parts/values.tsx'
import { type Column, VirtualTable } from '../../parts/virtualTable.tsx'

const isTarget0 = ({ target_token: target, token0_address: first }: TokenPair) => target === first

const nameOf = (pair: TokenPair) =>
  isTarget0(pair)
    ? `${pair.token0_symbol}/${pair.token1_symbol}`
    : `${pair.token1_symbol}/${pair.token0_symbol}`

const columns: readonly Column<TokenPair>[] = [
  {
    name: 'pair',
    label: 'Pair',
    width: 'auto',
    isText: true,
    cell: (row) => (
      <a class="token-cell" href={`/pair/${row.pair}-${row.chain}`}>
        <strong>{nameOf(row)}</strong>
        <span class="badge">{row.amm}</span>
      </a>
    ),
  },
  {
    name: 'price',
    label: 'Price',
    width: '8rem',
    cell: (row) => <Price value={isTarget0(row) ? row.token0_price_usd : row.token1_price_usd} />,
  },
  {
    name: 'change',
    label: '24h',
    width: '5.5rem',
    cell: (row) => <Percent value={row.price_change_24h} />,
  },
  {
    name: 'volume',
    label: 'Volume 24h',
    width: '7rem',
    cell: (row) => <Usd value={row.volume_u} />,
  },
  {
    name: 'liquidity',
    label: 'Liquidity',
    width: '7rem',
    rank: 2,
    cell: (row) => <Usd value={figureOf(row, 'tvl')} />,
  },
  {
    name: 'updated',
    label: 'Last',
    width: '4.5rem',
    rank: 2,
    cell: (row) => <Ago timeS={row.updated_at} />,
  },
]

/** The most important pairs of a token. */
export const PairList = ({ pairs }: { pairs: readonly TokenPair[] }) => (
  <VirtualTable
    label="Pairs"
    columns={columns}
    rows={pairs}
    rowKey={({ pair }) => pair}
    rowHref={({ pair, chain }) => `/pair/${pair}-${chain}`}
    empty="No pairs."
  />
)
