import type { TokenSwap, WalletTx } from '@chaintape/protocol'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { splitId } from '../../data/chains.ts'
import { rest, useStream } from '../../data/tape.ts'
import { useQuery } from '../../data/useQuery.ts'
import { createFrameTask } from '../../lib/store.ts'
import { tapeOptions } from '../../parts/tape.tsx'
import { Ago, Amount, Usd } from '../../parts/values.tsx'
import { type Column, VirtualTable } from '../../parts/virtualTable.tsx'

const pageSize = 100

/**
 * A trade that was answered or pushed; what both call the same is the same. One that a reorg
 * reverted stays, marked.
 */
type Trade = { row: WalletTx | TokenSwap; isReverted: boolean }

const timeSOf = ({ row }: Trade) => ('tx_time' in row ? row.tx_time : row.time)

type SideProps = { amount: string; token: string; symbol: string }

const Side = ({ amount, token, symbol }: SideProps) => (
  <>
    <Amount value={amount} />{' '}
    <a class="soft" href={`/token/${token}`}>
      {symbol}
    </a>
  </>
)

const columns: readonly Column<Trade>[] = [
  {
    name: 'time',
    label: 'Age',
    width: '4.5rem',
    isText: true,
    cell: (trade) => <Ago timeS={timeSOf(trade)} />,
  },
  {
    name: 'side',
    label: 'Side',
    width: '4rem',
    isText: true,
    cell: ({ row: { direction } }) => (
      <span class={direction === 'buy' ? 'up' : 'down'}>
        {direction === 'buy' ? 'Buy' : 'Sell'}
      </span>
    ),
  },
  { name: 'usd', label: 'Value', width: '7rem', cell: ({ row }) => <Usd value={row.amount_usd} /> },
  {
    name: 'from',
    label: 'Gave',
    width: '10rem',
    rank: 2,
    cell: ({ row }) => (
      <Side
        amount={row.from_amount}
        token={`${row.from_address}-${row.chain}`}
        symbol={row.from_symbol}
      />
    ),
  },
  {
    name: 'to',
    label: 'Got',
    width: '10rem',
    cell: ({ row }) => (
      <Side
        amount={row.to_amount}
        token={`${row.to_address}-${row.chain}`}
        symbol={row.to_symbol}
      />
    ),
  },
  {
    name: 'pair',
    label: 'Pair',
    width: 'auto',
    isText: true,
    rank: 2,
    cell: ({ row, isReverted }) => (
      <>
        <a class="mono soft" href={`/pair/${row.pair_address}-${row.chain}`}>
          {row.amm}
        </a>{' '}
        {isReverted && (
          <span class="badge warn" title="A reorg reverted this trade">
            reverted
          </span>
        )}
      </>
    ),
  },
]

const indexOf = ({ row }: Trade) => Number(row.id.split('-')[1])

const newerFirst = (a: Trade, b: Trade) =>
  b.row.block_number - a.row.block_number || indexOf(b) - indexOf(a)

/** Trades, each once: pages and pushes have some of them in common. */
function createTrades() {
  const byKey = new Map<string, Trade>()
  return {
    add(row: Trade['row'], isReverted: boolean): void {
      const key = `${row.id} ${row.transaction}`
      if (!isReverted || byKey.has(key)) byKey.set(key, { row, isReverted })
    },
    newestFirst: () => [...byKey.values()].sort(newerFirst),
  }
}

export type ShownTrades = {
  rows: readonly Trade[]
  /** Why there are none. */
  note: string
  /** Asks for older ones; null: there are none. */
  older: (() => void) | null
}

/**
 * Trades of a wallet: the newest, older ones when they are asked for, and each as it happens, which
 * `onTrade` hears of.
 */
export function useWalletTrades(id: string, onTrade: () => void): ShownTrades {
  const [address, chain] = splitId(id)
  const held = useMemo(createTrades, [id])
  const [rows, setRows] = useState<readonly Trade[]>([])
  const [oldest, setOldest] = useState<WalletTx | null>(null)
  const show = useMemo(() => createFrameTask(() => setRows(held.newestFirst())), [held])
  useEffect(() => {
    setRows([])
    setOldest(null)
  }, [held])

  const load = async (before: WalletTx | null, signal?: AbortSignal) => {
    const place = before === null ? {} : { last_time: before.time, last_id: before.id }
    const of = { wallet_address: address, chain, page_size: pageSize, ...place }
    const answer = await rest.addressTxs(of, signal === undefined ? {} : { signal })
    const page = answer.result as readonly WalletTx[]
    for (const row of page) held.add(row, false)
    setOldest(page.length < pageSize ? null : page.at(-1)!)
    show()
    return true
  }
  const { data, error } = useQuery(`${id} trades`, (signal) => load(null, signal))
  useStream(
    id,
    (tape) => tape.wallet(id, tapeOptions),
    (swap) => {
      held.add(swap, swap.retracted === true)
      show()
      if (swap.snapshot !== true) onTrade()
    },
  )
  return {
    rows,
    note: error ?? (data === undefined ? 'Loading…' : 'No stored trades.'),
    older: oldest === null ? null : () => void load(oldest),
  }
}

export const WalletTrades = ({ rows, note, older }: ShownTrades) => (
  <>
    <VirtualTable
      label="Trades"
      columns={columns}
      rows={rows}
      rowHeight={32}
      rowKey={({ row, isReverted }) => `${row.id} ${row.transaction} ${isReverted}`}
      rowClass={({ row, isReverted }) =>
        `${row.direction === 'buy' ? 'is-buy' : 'is-sell'} ${isReverted ? 'is-reverted' : ''}`
      }
      empty={note}
    />
    {older !== null && (
      <button type="button" class="more" onClick={older}>
        Older trades
      </button>
    )}
  </>
)
