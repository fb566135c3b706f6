import type { PushedPrice, TokenPair, TokenRow } from '@chaintape/protocol'
import { useEffect, useState } from 'preact/hooks'
import { splitId, useNative } from '../../data/chains.ts'
import { rest } from '../../data/tape.ts'
import { useLivePrice } from '../../data/useLivePrice.ts'
import { useQuery } from '../../data/useQuery.ts'
import { priceText, shortAddress } from '../../lib/format.ts'
import { Chart } from '../../parts/chart.tsx'
import { NoFacts } from '../../parts/facts.tsx'
import { Message } from '../../parts/message.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Tape, tapeOptions } from '../../parts/tape.tsx'
import { ChangeOf, Copy, ExplorerLink, Price } from '../../parts/values.tsx'
import { Holders } from './holders.tsx'
import { PairList } from './pairList.tsx'
import { RiskReport } from './riskReport.tsx'
import { TokenFacts } from './tokenFacts.tsx'

const everyMs = 10_000

const tabs = [
  { name: 'trades', label: 'Trades' },
  { name: 'pairs', label: 'Pairs' },
  { name: 'holders', label: 'Holders' },
  { name: 'risk', label: 'Risk' },
] as const

type TabName = (typeof tabs)[number]['name']

type TokenHeadProps = { id: string; token: TokenRow | null; live: PushedPrice | null }

/** Name and price; as much of them as is known by now. */
function TokenHead({ id, token, live }: TokenHeadProps) {
  const [address, chain] = splitId(id)
  return (
    <header class="market-head">
      <h1>
        {token?.symbol || shortAddress(address)} <span class="soft name">{token?.name}</span>
      </h1>
      <span class="price-now">
        <Price value={live?.uprice ?? token?.current_price_usd} />
      </span>
      <ChangeOf value={live?.price_change_24h ?? token?.price_change_24h} window="24h" />
      {token?.usd_reason && <span class="badge warn">{token.usd_reason}</span>}
      <span class="grow" />
      <span class="badge">{chain}</span>
      {token?.issue_platform && <span class="badge">{token.issue_platform}</span>}
      <Copy text={token?.token ?? address} />
      <ExplorerLink chain={chain} kind="token" id={token?.token ?? address} />
    </header>
  )
}

/**
 * Whether its main pair is priced in something else: a coin that others are priced in is the other
 * side of its pairs.
 */
const isTarget = (token: TokenRow | null, pairs: readonly TokenPair[]) => {
  const main = pairs.find(({ pair }) => pair === token?.main_pair)
  return main === undefined || main.target_token === token?.token
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
  const symbol = token?.symbol || shortAddress(address)
  useEffect(() => {
    document.title = `${symbol} ${price === undefined ? '' : `$${priceText(price)}`} · Chaintape`
  }, [symbol, price])

  if (data === undefined && error !== null) return <Message text={error} isError />
  if (data !== undefined && token === null)
    return <Message text="Nobody has traded this token here yet." />
  // Chart and trades are asked for beside the token, not after it.
  return (
    <main class="page market">
      <TokenHead id={id} token={token} live={live} />
      <Chart
        key={id}
        label={`Klines of ${symbol}`}
        native={native}
        load={(params) => rest.tokenKlines(id, params)}
        isOfPair={data === undefined ? undefined : isTarget(token, data.pairs)}
      />
      {token === null ? <NoFacts /> : <TokenFacts token={token} native={native} />}
      <div class="panel below">
        <Tabs
          label={`Details of ${symbol}`}
          tabs={tabs}
          chosen={tab}
          onChoose={(name: TabName) => setTab(name)}
        >
          {tab === 'trades' && (
            <Tape
              label={`Trades of ${symbol}`}
              name={id}
              open={(tape) => tape.tokenSwaps(id, tapeOptions)}
            />
          )}
          {tab === 'pairs' && <PairList pairs={data?.pairs ?? []} />}
          {tab === 'holders' && token !== null && <Holders key={id} id={id} token={token} />}
          {tab === 'risk' && <RiskReport id={id} />}
        </Tabs>
      </div>
    </main>
  )
}
