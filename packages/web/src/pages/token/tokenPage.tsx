import type { PushedPrice, TokenRow } from '@chaintape/protocol'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { splitId, useNative } from '../../data/chains.ts'
import { rest, useStream } from '../../data/tape.ts'
import { useQuery } from '../../data/useQuery.ts'
import { priceText } from '../../lib/format.ts'
import { createPacedTask } from '../../lib/store.ts'
import { Chart } from '../../parts/chart.tsx'
import { Message } from '../../parts/message.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Tape, tapeOptions } from '../../parts/tape.tsx'
import { Copy, Percent, Price } from '../../parts/values.tsx'
import { Holders } from './holders.tsx'
import { PairList } from './pairList.tsx'
import { RiskReport } from './riskReport.tsx'
import { TokenFacts } from './tokenFacts.tsx'

const everyMs = 10_000
const priceEveryMs = 100

const tabs = [
  { name: 'trades', label: 'Trades' },
  { name: 'pairs', label: 'Pairs' },
  { name: 'holders', label: 'Holders' },
  { name: 'risk', label: 'Risk' },
] as const

type TabName = (typeof tabs)[number]['name']

function useLivePrice(id: string): PushedPrice | null {
  const [held, hold] = useState<{ id: string; price: PushedPrice } | null>(null)
  const newest = useRef(held)
  const show = useMemo(() => createPacedTask(() => hold(newest.current), priceEveryMs), [])
  useStream(
    id,
    (tape) => tape.prices([id]),
    (price) => {
      newest.current = { id, price }
      show()
    },
  )
  return held?.id === id ? held.price : null
}

/** One token: its chart, its trades, who has it and what its contract can do. */
export function TokenPage({ id }: { id: string }) {
  const [address, chain] = splitId(id)
  const native = useNative(chain)
  const { data, error } = useQuery(id, (signal) => rest.tokenDetail(id, {}, { signal }), {
    everyMs,
  })
  const live = useLivePrice(id)
  const [tab, setTab] = useState<TabName>('trades')
  const token = data !== undefined && 'token' in data.token ? (data.token as TokenRow) : null
  const price = live?.uprice ?? token?.current_price_usd
  const symbol = token?.symbol || address.slice(0, 8)
  useEffect(() => {
    document.title = `${symbol} ${price === undefined ? '' : `$${priceText(price)}`} · Chaintape`
  }, [symbol, price])

  if (data === undefined) return <Message text={error ?? 'Loading…'} isError={error !== null} />
  if (token === null) return <Message text="Nobody has traded this token here yet." />
  return (
    <main class="page market">
      <header class="market-head">
        <h1>
          {symbol} <span class="soft name">{token.name}</span>
        </h1>
        <span class="price-now">
          <Price value={price} />
        </span>
        <Percent value={live?.price_change_24h ?? token.price_change_24h} />
        <span class="soft">24h</span>
        {token.usd_reason && <span class="badge warn">{token.usd_reason}</span>}
        <span class="grow" />
        <span class="badge">{chain}</span>
        {token.issue_platform !== '' && <span class="badge">{token.issue_platform}</span>}
        <Copy text={token.token} />
      </header>
      <Chart
        key={id}
        label={`Klines of ${symbol}`}
        native={native}
        load={(params) => rest.tokenKlines(id, params)}
      />
      <TokenFacts token={token} native={native} />
      <div class="panel below">
        <Tabs
          label={`More of ${symbol}`}
          {...{ tabs, chosen: tab, onChoose: (name: TabName) => setTab(name) }}
        >
          {tab === 'trades' && (
            <Tape
              label={`Trades of ${symbol}`}
              name={id}
              open={(tape) => tape.tokenSwaps(id, tapeOptions)}
            />
          )}
          {tab === 'pairs' && <PairList pairs={data.pairs} />}
          {tab === 'holders' && <Holders key={id} id={id} token={token} />}
          {tab === 'risk' && <RiskReport id={id} />}
        </Tabs>
      </div>
    </main>
  )
}
