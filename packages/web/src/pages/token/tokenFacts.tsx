import type { TokenRow } from '@chaintape/protocol'
import { useState } from 'preact/hooks'
import {
  countText,
  exactText,
  figureOf,
  knownOf,
  priceText,
  shareText,
  usdText,
} from '../../lib/format.ts'
import { Fact, Split } from '../../parts/facts.tsx'
import { Ago, Amount, Percent, Usd } from '../../parts/values.tsx'

const windows = ['5m', '1h', '4h', '24h'] as const
type Window = (typeof windows)[number]

function Activity({ token }: { token: TokenRow }) {
  const [span, setSpan] = useState<Window>('24h')
  return (
    <section class="activity" aria-label="Activity">
      <fieldset class="segments wide">
        <legend class="hidden">Window</legend>
        {windows.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === span}
            onClick={() => setSpan(name)}
          >
            <span class="soft">{name}</span> <Percent value={token[`token_price_change_${name}`]} />
          </button>
        ))}
      </fieldset>
      <Split
        label="buys · sells"
        text={countText}
        buys={token[`token_buy_tx_count_${span}`]}
        sells={token[`token_sell_tx_count_${span}`]}
      />
      <Split
        label="buy · sell volume"
        text={usdText}
        buys={Number(token[`token_buy_tx_volume_usd_${span}`])}
        sells={Number(token[`token_sell_tx_volume_usd_${span}`])}
      />
      <Split
        label="buyers · sellers"
        text={countText}
        buys={token[`token_buyers_${span}`]}
        sells={token[`token_sellers_${span}`]}
      />
    </section>
  )
}

/** What is known of a token at a glance. */
export const TokenFacts = ({ token, native }: { token: TokenRow; native: string }) => (
  <aside class="panel facts" aria-label="Facts">
    <Activity token={token} />
    <dl>
      <Fact name="Market cap">
        <Usd value={knownOf(token.market_cap)} />
      </Fact>
      <Fact name="Fully diluted">
        <Usd value={knownOf(token.fdv)} />
      </Fact>
      <Fact name="Liquidity" hint="Value of the reserves of all trusted pairs">
        <Usd value={figureOf(token, 'tvl')} />
      </Fact>
      <Fact name="Volume 24h">
        <Usd value={token.tx_volume_u_24h} />
      </Fact>
      <Fact
        name="without round trips"
        hint="Volume without round trips: trades of a wallet that traded the other way within a minute"
      >
        <Usd value={token.token_organic_tx_volume_usd_24h} />
      </Fact>
      <Fact
        name="Holders"
        hint={
          token.holders_complete
            ? 'All transfers are counted'
            : 'Counted since the first indexed block'
        }
      >
        {countText(token.holders)}
        {!token.holders_complete && <span class="soft"> or more</span>}
      </Fact>
      <Fact name="Supply">
        <Amount value={knownOf(token.total)} />
      </Fact>
      <Fact name="Locked">{shareText(figureOf(token, 'locked_percent'))}</Fact>
      <Fact name={`Price in ${native}`}>
        <span class="number" title={exactText(token.current_price_eth)}>
          {priceText(token.current_price_eth)}
        </span>
      </Fact>
      <Fact name="Range 24h">
        <span class="number">
          {priceText(token.token_price_24h_low)} – {priceText(token.token_price_24h_high)}
        </span>
      </Fact>
      <Fact
        name="Price depth"
        hint="The thinnest pool on the route of the price; none for stablecoins"
      >
        <Usd value={knownOf(token.price_liquidity_usd)} />
      </Fact>
      <Fact name="Price time" hint="Time of the oldest price on the route">
        <Ago timeS={token.price_updated_at} />
      </Fact>
      {token.main_pair !== '' && (
        <Fact name="Main pair">
          <a href={`/pair/${token.main_pair}-${token.chain}`}>open</a>
        </Fact>
      )}
      <Fact name="First pair">
        <Ago timeS={token.launch_at} />
      </Fact>
    </dl>
  </aside>
)
