import type { PairDetail } from '@chaintape/protocol'
import { useEffect, useState } from 'preact/hooks'
import { splitId, useNative } from '../data/chains.ts'
import { rest } from '../data/tape.ts'
import { useLivePrice } from '../data/useLivePrice.ts'
import { useQuery } from '../data/useQuery.ts'
import { countText, figureOf, knownOf, priceText, shortAddress, usdText } from '../lib/format.ts'
import { Chart } from '../parts/chart.tsx'
import { Fact, NoFacts, Split } from '../parts/facts.tsx'
import { Message } from '../parts/message.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Tape, tapeOptions } from '../parts/tape.tsx'
import { Ago, Amount, ChangeOf, Copy, ExplorerLink, Price, Usd } from '../parts/values.tsx'
import { LiquidityList } from './liquidityList.tsx'

const everyMs = 10_000

const tabs = [
  { name: 'trades', label: 'Trades' },
  { name: 'liquidity', label: 'Liquidity' },
] as const

type TabName = (typeof tabs)[number]['name']

/** The pair seen from its target: which side that is, and the other. */
function sidesOf(pair: PairDetail) {
  const token0 = {
    address: pair.token0_address,
    symbol: pair.token0_symbol || '?',
    reserve: figureOf(pair, 'reserve0'),
    price: pair.token0_price_usd,
  }
  const token1 = {
    address: pair.token1_address,
    symbol: pair.token1_symbol || '?',
    reserve: figureOf(pair, 'reserve1'),
    price: pair.token1_price_usd,
  }
  const isTarget0 = pair.target_token === pair.token0_address
  return isTarget0 ? { target: token0, quote: token1 } : { target: token1, quote: token0 }
}

function PairFacts({ pair }: { pair: PairDetail }) {
  const { target, quote } = sidesOf(pair)
  const buys = { count: pair.buys_tx_24h_count, usd: Number(pair.buy_volume_u_24h) }
  const sells = { count: pair.sells_tx_24h_count, usd: Number(pair.sell_volume_u_24h) }
  return (
    <aside class="panel facts" aria-label="Facts">
      <section class="activity" aria-label="24-hour activity">
        <Split label="buys · sells 24h" text={countText} buys={buys.count} sells={sells.count} />
        <Split label="buy · sell volume" text={usdText} buys={buys.usd} sells={sells.usd} />
        <Split
          label="buyers · sellers"
          text={countText}
          buys={pair.buyers_24h}
          sells={pair.sellers_24h}
        />
      </section>
      <dl>
        {[target, quote].map(({ address, symbol, reserve }) => (
          <Fact key={address} name={`Pooled ${symbol}`}>
            <a href={`/token/${address}-${pair.chain}`}>
              <Amount value={reserve} />
            </a>
          </Fact>
        ))}
        <Fact name="Liquidity">
          <Usd value={figureOf(pair, 'tvl')} />
        </Fact>
        <Fact name="Volume 24h">
          <Usd value={pair.volume_u_24h} />
        </Fact>
        <Fact name="without round trips">
          <Usd value={pair.organic_volume_u_24h} />
        </Fact>
        <Fact name="Market cap">
          <Usd value={knownOf(pair.market_cap)} />
        </Fact>
        <Fact name="Range 24h">
          <span class="number">
            {priceText(pair.low_u)} – {priceText(pair.high_u)}
          </span>
        </Fact>
        <Fact name="All-time high">
          <span class="number">{priceText(pair.price_ath_u)}</span>
        </Fact>
        <Fact name="Created">
          <Ago timeS={pair.created_at} />
        </Fact>
        <Fact name="Last trade">
          <Ago timeS={pair.updated_at} />
        </Fact>
      </dl>
    </aside>
  )
}

type PairHeadProps = { id: string; pair: PairDetail | null; price: string | undefined }

/** Names and price; as much of them as is known by now. */
function PairHead({ id, pair, price }: PairHeadProps) {
  const [address, chain] = splitId(id)
  const sides = pair === null ? null : sidesOf(pair)
  return (
    <header class="market-head">
      {sides === null ? (
        <h1>{shortAddress(address)}</h1>
      ) : (
        <h1>
          <a href={`/token/${sides.target.address}-${chain}`}>{sides.target.symbol}</a>
          <span class="soft">/{sides.quote.symbol}</span>
        </h1>
      )}
      <span class="price-now">
        <Price value={price ?? sides?.target.price} />
      </span>
      <ChangeOf value={pair?.price_change_24h} window="24h" />
      {pair?.is_trusted === false && (
        <span
          class="badge warn"
          title="No configured factory confirms this pool: its prices and volume do not count"
        >
          not trusted
        </span>
      )}
      <span class="grow" />
      <span class="badge">{chain}</span>
      {pair !== null && <span class="badge">{pair.amm}</span>}
      <Copy text={pair?.pair ?? address} />
      <ExplorerLink chain={chain} kind="address" id={pair?.pair ?? address} />
    </header>
  )
}

/** One pool as a market. */
export function PairPage({ id }: { id: string }) {
  const [address, chain] = splitId(id)
  const native = useNative(chain)
  const { data, error } = useQuery(id, (signal) => rest.pairDetail(id, {}, { signal }), { everyMs })
  const live = useLivePrice(id)
  const [tab, setTab] = useState<TabName>('trades')
  const pair = data !== undefined && 'pair' in data ? (data as PairDetail) : null
  const sides = pair === null ? null : sidesOf(pair)
  const name =
    sides === null ? shortAddress(address) : `${sides.target.symbol}/${sides.quote.symbol}`
  useEffect(() => {
    document.title = `${name} · Chaintape`
  }, [name])

  if (data === undefined && error !== null) return <Message text={error} isError />
  if (data !== undefined && pair === null) return <Message text="This pair is unknown." />
  // Chart and trades are asked for beside the pair, not after it.
  return (
    <main class="page market">
      <PairHead id={id} pair={pair} price={live?.uprice} />
      <Chart
        key={id}
        label={`Klines of ${name}`}
        native={native}
        load={(params) => rest.pairKlines(id, params)}
        isOfPair
      />
      {pair === null ? <NoFacts /> : <PairFacts pair={pair} />}
      <div class="panel below">
        <Tabs
          label={`Details of ${name}`}
          tabs={tabs}
          chosen={tab}
          onChoose={(chosen: TabName) => setTab(chosen)}
        >
          {tab === 'trades' && (
            <Tape
              label={`Trades of ${name}`}
              name={id}
              open={(tape) => tape.swaps(id, tapeOptions)}
            />
          )}
          {tab === 'liquidity' && <LiquidityList id={id} />}
        </Tabs>
      </div>
    </main>
  )
}
