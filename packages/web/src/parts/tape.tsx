import type { Marks, Stream } from '@chaintape/client'
import type { TokenSwap } from '@chaintape/protocol'
import { useMemo, useState } from 'preact/hooks'
import { type Tape as Source, useStream } from '../data/tape.ts'
import { createPacedTask } from '../lib/store.ts'
import { Ago, Amount, FixedPrice, Usd, WalletLink } from './values.tsx'
import { type Column, VirtualTable } from './virtualTable.tsx'

type Swap = TokenSwap & Marks

/** What every tape asks for: the newest trades first, and those that a reorg reverts. */
export const tapeOptions = { snapshot: true, revisions: true } as const

/** One trade of the tape. One that a reorg reverted stays, marked. */
type TapeRow = {
  swap: TokenSwap
  isReverted: boolean
  /** How many came before it. */
  count: number
}

// More than anybody scrolls through; older ones are in the wallet and pair pages.
const rowsMax = 10_000

// A trade is seen at once, and those that follow together: more pictures than these nobody reads.
const everyMs = 100

const isBuy = ({ swap }: Pick<TapeRow, 'swap'>) => swap.direction === 'buy'

/** The side that is the market's own token: its amount, price and symbol. */
function targetOf({ swap }: TapeRow) {
  return isBuy({ swap })
    ? { amount: swap.to_amount, price: swap.to_price_usd, symbol: swap.to_symbol }
    : { amount: swap.from_amount, price: swap.from_price_usd, symbol: swap.from_symbol }
}

const columns: readonly Column<TapeRow>[] = [
  {
    name: 'time',
    label: 'Age',
    width: '3.5rem',
    isText: true,
    cell: ({ swap }) => <Ago timeS={swap.time} />,
  },
  {
    name: 'side',
    label: 'Side',
    width: '3rem',
    isText: true,
    cell: (row) => <span class={isBuy(row) ? 'up' : 'down'}>{isBuy(row) ? 'Buy' : 'Sell'}</span>,
  },
  {
    name: 'usd',
    label: 'Value',
    width: '5.5rem',
    cell: ({ swap }) => <Usd value={swap.amount_usd} />,
  },
  {
    name: 'amount',
    label: 'Amount',
    width: '9rem',
    rank: 2,
    cell: (row) => (
      <>
        <Amount value={targetOf(row).amount} /> <span class="soft">{targetOf(row).symbol}</span>
      </>
    ),
  },
  {
    name: 'price',
    label: 'Price',
    width: '6.5rem',
    cell: (row) => <FixedPrice value={targetOf(row).price} />,
  },
  {
    name: 'wallet',
    label: 'Wallet',
    width: 'auto',
    isText: true,
    cell: ({ swap }) => <WalletLink address={swap.wallet_address} chain={swap.chain} />,
  },
  {
    name: 'state',
    label: 'Block',
    width: '6rem',
    rank: 3,
    cell: ({ swap, isReverted }) =>
      isReverted ? (
        <span class="badge warn" title="A reorg reverted this trade">
          reverted
        </span>
      ) : (
        <span class="number soft" title={swap.transaction}>
          {swap.block_number}
        </span>
      ),
  },
]

/**
 * Trades, oldest first, each once: what is asked for again after a break may have some of them
 * twice.
 */
function createTapeRows() {
  const byId = new Map<string, TapeRow>()
  const newestFirst: TapeRow[] = []
  let count = 0
  const idOf = ({ id, transaction }: TokenSwap) => `${id} ${transaction}`
  return {
    add(swap: TokenSwap, isReverted: boolean): void {
      const id = idOf(swap)
      const known = byId.get(id)
      if (known !== undefined) byId.set(id, { ...known, isReverted })
      else if (!isReverted) {
        byId.set(id, { swap, isReverted, count })
        count += 1
      }
      if (byId.size > rowsMax) byId.delete(byId.keys().next().value!)
    },
    /**
     * One list for all pictures: the page still holds what an earlier one was made of, and so would
     * hold the trades of then.
     */
    newestFirst: newestFirst as readonly TapeRow[],
    /** Brings the list up to date. */
    arrange(): void {
      newestFirst.length = byId.size
      let at = byId.size
      for (const row of byId.values()) {
        at -= 1
        newestFirst[at] = row
      }
    },
  }
}

type TapeProps = {
  label: string
  /** What is streamed, by its name. */
  name: string
  open(from: Source): Stream<Swap>
}

/** Trades as they happen, newest first. */
export function Tape({ label, name, open }: TapeProps) {
  const held = useMemo(createTapeRows, [name])
  const [, render] = useState(0)
  const show = useMemo(() => {
    const draw = () => {
      held.arrange()
      render((times) => times + 1)
    }
    return createPacedTask(draw, everyMs)
  }, [held])
  useStream(name, open, (swap) => {
    held.add(swap, swap.retracted === true)
    show()
  })

  return (
    <VirtualTable
      label={label}
      columns={columns}
      rows={held.newestFirst}
      rowHeight={28}
      rowKey={({ count }) => count}
      rowClass={(row) =>
        `${isBuy(row) ? 'is-buy' : 'is-sell'} ${row.isReverted ? 'is-reverted' : ''}`
      }
      empty="No trades yet; they appear here as they happen."
    />
  )
}
