import type { WalletToken } from '@chaintape/protocol'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { splitId } from '../../data/chains.ts'
import { rest } from '../../data/tape.ts'
import { useQuery } from '../../data/useQuery.ts'
import { countText, shareText, shortAddress, usdText } from '../../lib/format.ts'
import { createPacedTask } from '../../lib/store.ts'
import { Tile } from '../../parts/facts.tsx'
import { Message } from '../../parts/message.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Ago, Amount, Copy, ExplorerLink, Price, Usd } from '../../parts/values.tsx'
import { type Column, VirtualTable } from '../../parts/virtualTable.tsx'
import { useWalletTrades, WalletTrades } from './walletTrades.tsx'

// What it has is worth another amount with each price; what it does is pushed.
const everyMs = 15_000
const paceMs = 2_000

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
    name: 'token',
    label: 'Token',
    width: 'auto',
    isText: true,
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
    label: 'Realized',
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
  const tell = useMemo(() => {
    const askAgain = () => {
      info.again()
      tokens.again()
    }
    return createPacedTask(askAgain, paceMs)
  }, [id])
  const trades = useWalletTrades(id, tell)
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
        <ExplorerLink chain={chain} kind="address" id={address} />
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
        <Tile label="Realized">
          <Profit value={data.realized_profit} />
        </Tile>
        <Tile label="Unrealized">
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
          label="Details of this wallet"
          tabs={tabs}
          chosen={tab}
          onChoose={(name: typeof tab) => setTab(name)}
        >
          {tab === 'tokens' ? (
            <VirtualTable
              label="Tokens"
              columns={tokenColumns}
              rows={rows}
              rowHeight={36}
              rowKey={({ token }) => token}
              rowHref={(row) => `/token/${row.token}-${row.chain}`}
              empty={tokens.error ?? (tokens.data === undefined ? 'Loading…' : 'No stored trades.')}
            />
          ) : (
            <WalletTrades {...trades} />
          )}
        </Tabs>
      </div>
      <p class="soft note">
        Profit is by average cost, from the swaps that are kept in trusted pools.
      </p>
    </main>
  )
}
