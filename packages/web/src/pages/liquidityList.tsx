import type { LiquidityTx } from '@chaintape/protocol'
import { rest } from '../data/tape.ts'
import { useQuery } from '../data/useQuery.ts'
import { Ago, Amount, Usd, WalletLink } from '../parts/values.tsx'
import { type Column, VirtualTable } from '../parts/virtualTable.tsx'

const everyMs = 15_000

const words: Readonly<Record<LiquidityTx['type'], [text: string, tone: string]>> = {
  addLiquidity: ['Added', 'up'],
  removeLiquidity: ['Removed', 'down'],
  createPair: ['Created', 'flat'],
  collectFee: ['Fees', 'flat'],
}

const columns: readonly Column<LiquidityTx>[] = [
  {
    name: 'time',
    label: 'Age',
    width: '4.5rem',
    isText: true,
    cell: (row) => <Ago timeS={row.tx_time} />,
  },
  {
    name: 'type',
    label: 'What',
    width: '6rem',
    isText: true,
    cell: ({ type }) => <span class={words[type][1]}>{words[type][0]}</span>,
  },
  { name: 'usd', label: 'Value', width: '7rem', cell: (row) => <Usd value={row.amount_usd} /> },
  {
    name: 'amount0',
    label: 'First token',
    width: '9rem',
    rank: 2,
    cell: (row) => (
      <>
        <Amount value={row.amount0} /> <span class="soft">{row.token0_symbol}</span>
      </>
    ),
  },
  {
    name: 'amount1',
    label: 'Second token',
    width: '9rem',
    rank: 2,
    cell: (row) => (
      <>
        <Amount value={row.amount1} /> <span class="soft">{row.token1_symbol}</span>
      </>
    ),
  },
  {
    name: 'wallet',
    label: 'Wallet',
    width: 'auto',
    isText: true,
    cell: (row) => <WalletLink address={row.wallet_address} chain={row.chain} />,
  },
]

/** Liquidity that was added and removed, newest first. */
export function LiquidityList({ id }: { id: string }) {
  const { data, error } = useQuery(
    id,
    (signal) => rest.liquidityTxs(id, { sort: 'desc', limit: 300 }, { signal }),
    { everyMs },
  )
  const rows = data !== undefined && 'txs' in data ? (data.txs as readonly LiquidityTx[]) : []
  return (
    <VirtualTable
      label="Liquidity changes"
      columns={columns}
      rows={rows}
      rowHeight={32}
      rowKey={(row) => `${row.id} ${row.transaction}`}
      empty={error ?? (data === undefined ? 'Loading…' : 'No liquidity changes stored.')}
    />
  )
}
