import type { WalletToken, WalletTx } from '@chaintape/protocol'
import { useEffect, useState } from 'preact/hooks'
import { splitId } from '../data/chains.ts'
import { rest } from '../data/tape.ts'
import { useQuery } from '../data/useQuery.ts'
import { countText, shareText, shortAddress, usdText } from '../lib/format.ts'
import { Tile } from '../parts/facts.tsx'
import { Message } from '../parts/message.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Ago, Amount, Copy, Price, Usd } from '../parts/values.tsx'
import { type Column, VirtualTable } from '../parts/virtualTable.tsx'

const everyMs = 10_000
const pageSize = 100

const secondsOf = (text: string) => Math.floor(Date.parse(text) / 1_000)

export const Profit = ({ value }: { value: string }) => (
  <span
    class={`number ${Number(value) > 0 ? 'up' : Number(value) < 0 ? 'down' : 'flat'}`}
    title={`$${value}`}
  >
    {Number(value) > 0 ? '+' : ''}
    {usdText(value)}
  </span>
)

const tokenColumns: readonly Column<WalletToken>[] = [
  {
    ...{ name: 'token', label: 'Token', width: 'auto', isText: true },
    cell: (row) => (
      <a class="token-cell" href={`/token/${row.token}-${row.chain}`}>
        <strong>{row.symbol || shortAddress(row.token)}</strong>
        {row.risk_level === -1 && <span class="badge warn">risk</span>}
      </a>
    ),
  },
  {
    name: 'balance',
    label: 'Holds',
    width: '7rem',
    rank: 2,
    cell: (row) => <Amount value={row.balance_amount} />,
  },
  { name: 'worth', label: 'Worth', width: '7rem', cell: (row) => <Usd value={row.balance_usd} /> },
  {
    name: 'price',
    label: 'Price',
    width: '8rem',
    rank: 3,
    cell: (row) => <Price value={row.current_price_usd} />,
  },
  {
    name: 'bought',
    label: 'Bought',
    width: '7rem',
    rank: 3,
    cell: (row) => <Usd value={row.total_purchase_usd} />,
  },
  {
    name: 'sold',
    label: 'Sold',
    width: '7rem',
    rank: 3,
    cell: (row) => <Usd value={row.total_sold_usd} />,
  },
  {
    name: 'realized',
    label: 'Realised',
    width: '7rem',
    rank: 2,
    cell: (row) => <Profit value={row.realized_profit} />,
  },
  {
    name: 'profit',
    label: 'Profit',
    width: '7rem',
    cell: (row) => <Profit value={row.total_profit} />,
  },
  {
    name: 'last',
    label: 'Last',
    width: '4.5rem',
    rank: 2,
    cell: (row) => <Ago timeS={secondsOf(row.last_txn_time)} />,
  },
]

const tradeColumns: readonly Column<WalletTx>[] = [
  {
    name: 'time',
    label: 'Age',
    width: '4.5rem',
    isText: true,
    cell: (row) => <Ago timeS={row.tx_time} />,
  },
  {
    ...{ name: 'side', label: 'Side', width: '4rem', isText: true },
    cell: ({ direction }) => (
      <span class={direction === 'buy' ? 'up' : 'down'}>
        {direction === 'buy' ? 'Buy' : 'Sell'}
      </span>
    ),
  },
  { name: 'usd', label: 'Value', width: '7rem', cell: (row) => <Usd value={row.amount_usd} /> },
  {
    ...{ name: 'from', label: 'Gave', width: '10rem', rank: 2 },
    cell: (row) => (
      <>
        <Amount value={row.from_amount} />{' '}
        <a class="soft" href={`/token/${row.from_address}-${row.chain}`}>
          {row.from_symbol}
        </a>
      </>
    ),
  },
  {
    ...{ name: 'to', label: 'Got', width: '10rem' },
    cell: (row) => (
      <>
        <Amount value={row.to_amount} />{' '}
        <a class="soft" href={`/token/${row.to_address}-${row.chain}`}>
          {row.to_symbol}
        </a>
      </>
    ),
  },
  {
    ...{ name: 'pair', label: 'Pair', width: 'auto', isText: true, rank: 2 },
    cell: (row) => (
      <a class="mono soft" href={`/pair/${row.pair_address}-${row.chain}`}>
        {row.amm}
      </a>
    ),
  },
]

/** Its trades, page by page as they are asked for. */
function WalletTrades({ address, chain }: { address: string; chain: string }) {
  const [pages, setPages] = useState<readonly WalletTx[]>([])
  const of = { wallet_address: address, chain, page_size: pageSize }
  const { data, error } = useQuery(
    `${address} trades`,
    (signal) => rest.addressTxs(of, { signal }),
    { everyMs },
  )
  const newest = (data?.result ?? []) as readonly WalletTx[]
  const known = new Set(newest.map(({ id }) => id))
  const rows = [...newest, ...pages.filter(({ id }) => !known.has(id))]
  const last = rows.at(-1)
  const more = async () => {
    if (last === undefined) return
    const { result } = await rest.addressTxs({ ...of, last_time: last.time, last_id: last.id })
    setPages([...rows.slice(newest.length), ...(result as readonly WalletTx[])])
  }
  return (
    <>
      <VirtualTable
        {...{ label: 'Trades', columns: tradeColumns, rows, rowHeight: 32 }}
        rowKey={(row) => `${row.id} ${row.transaction}`}
        rowClass={({ direction }) => (direction === 'buy' ? 'is-buy' : 'is-sell')}
        empty={error ?? (data === undefined ? 'Loading…' : 'No trades that are kept.')}
      />
      {rows.length >= pageSize && rows.length % pageSize === 0 && (
        <button type="button" class="more" onClick={more}>
          Older trades
        </button>
      )}
    </>
  )
}

const tabs = [
  { name: 'tokens', label: 'Tokens' },
  { name: 'trades', label: 'Trades' },
] as const

/** One wallet: what it holds, what it made, what it did. */
export function WalletPage({ id }: { id: string }) {
  const [address, chain] = splitId(id)
  const of = { wallet_address: address, chain }
  const [tab, setTab] = useState<'tokens' | 'trades'>('tokens')
  const info = useQuery(id, (signal) => rest.walletInfo(of, { signal }), { everyMs })
  const tokens = useQuery(id, (signal) => rest.walletTokens({ ...of, pageSize: 100 }, { signal }), {
    everyMs,
  })
  useEffect(() => {
    document.title = `${shortAddress(address)} · Chaintape`
  }, [address])
  const { data } = info
  if (data === undefined)
    return <Message text={info.error ?? 'Loading…'} isError={info.error !== null} />
  const rows = tokens.data ?? []
  return (
    <main class="page">
      <header class="market-head">
        <h1>Wallet</h1>
        <Copy text={address} />
        <span class="grow" />
        <span class="badge">{chain}</span>
      </header>
      <dl class="tiles">
        <Tile label="Worth">
          <Usd value={data.total_balance} />
        </Tile>
        <Tile label="Profit">
          <Profit value={data.total_profit} />
        </Tile>
        <Tile label="Realised">
          <Profit value={data.realized_profit} />
        </Tile>
        <Tile label="Unrealised">
          <Profit value={data.unrealized_profit} />
        </Tile>
        <Tile label="Won">{shareText(data.total_win_ratio)}</Tile>
        <Tile label="Bought">
          {countText(data.total_purchase)}{' '}
          <span class="soft">for {usdText(data.total_purchase_usd)}</span>
        </Tile>
        <Tile label="Sold">
          {countText(data.total_sold)} <span class="soft">for {usdText(data.total_sold_usd)}</span>
        </Tile>
        <Tile label={data.main_token_symbol}>
          <Amount value={data.main_token_balance} />
        </Tile>
        <Tile label="First trade">
          <Ago timeS={data.wallet_age} />
        </Tile>
      </dl>
      <div class="panel below tall">
        <Tabs
          label="More of this wallet"
          tabs={tabs}
          chosen={tab}
          onChoose={(name: typeof tab) => setTab(name)}
        >
          {tab === 'tokens' ? (
            <VirtualTable
              {...{ label: 'Tokens', columns: tokenColumns, rows, rowHeight: 36 }}
              rowKey={({ token }) => token}
              rowHref={(row) => `/token/${row.token}-${row.chain}`}
              empty={
                tokens.error ??
                (tokens.data === undefined ? 'Loading…' : 'It traded nothing that is kept.')
              }
            />
          ) : (
            <WalletTrades {...{ address, chain }} />
          )}
        </Tabs>
      </div>
      <p class="soft note">
        Profit is by average cost, from the swaps that are kept in trusted pools.
      </p>
    </main>
  )
}
