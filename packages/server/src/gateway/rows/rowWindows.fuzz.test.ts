// Compares windows in rows of active and idle tokens, as time passes, with each window read
// separately.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createServedChain } from '../../../../../test/support/servedChain.ts'
import { windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import { tokenRowLastingPart, tokenRowMovingPart } from './tokenRow.ts'
import { decimalOrZero } from './wireNumber.ts'

const daySeconds = 86_400
const tokenCount = 4

// A moment, most of a day, or a time just before or after a day's end.
const seconds = fc.oneof(
  fc.nat({ max: 90 }),
  fc.nat({ max: daySeconds }),
  fc.integer({ min: daySeconds - 120, max: daySeconds + 120 }),
)
const step = fc.record({
  /** Token whose pair trades. The last token has no pair. */
  token: fc.option(fc.nat({ max: tokenCount - 2 })),
  afterS: seconds,
  /** How far the reader's clock is ahead of the block. */
  aheadS: fc.oneof(fc.constant(0), seconds),
})

function createMarket() {
  const chain = createServedChain({ store: createMemoryStore() })
  const weth = chain.token({ symbol: 'WETH', name: 'Wrapped' })
  const usdc = chain.token({ symbol: 'USDC', name: 'Dollar', decimals: 6 })
  chain.pool(weth, usdc, [1_000, 2_000_000])
  const tokens = Array.from({ length: tokenCount }, () => chain.token())
  const pairs = tokens.slice(1).map((token) => chain.pool(token, weth, [10_000, 50]))
  chain.mine()
  return { chain, weth, tokens, pairs }
}

type Market = ReturnType<typeof createMarket>

function expectWindows({ chain }: Market, tokenId: number, nowS: number): void {
  const { value, validUntilS } = tokenRowLastingPart(chain.gatewayChain, tokenId, nowS)
  const row = JSON.parse(`${value.join('')}}`)
  const { decimals } = chain.engine.tokenRecord(tokenId)
  const windows = windowNames.map((_, at) => chain.engine.tokenWindow(tokenId, at, nowS))
  for (const [at, window] of windows.entries()) {
    const name = windowNames[at]
    expect(row).toMatchObject({
      [`token_price_change_${name}`]: decimalOrZero(window.changePercent),
      [`token_buy_tx_volume_usd_${name}`]: decimalOfE8(window.buyVolumeUsdE8),
      [`token_sell_tx_volume_usd_${name}`]: decimalOfE8(window.sellVolumeUsdE8),
      [`token_organic_tx_volume_usd_${name}`]: decimalOfE8(window.organicVolumeUsdE8),
      [`token_buy_tx_count_${name}`]: window.buyCount,
      [`token_sell_tx_count_${name}`]: window.sellCount,
      [`token_makers_${name}`]: window.makers,
      [`token_buyers_${name}`]: window.buyers,
      [`token_sellers_${name}`]: window.sellers,
    })
  }
  const hour = windows[windowNames.indexOf('1h')]!
  const day = windows[windowNames.indexOf('24h')]!
  expect(row).toMatchObject({
    price_change_1h: decimalOrZero(hour.changePercent),
    price_change_24h: decimalOrZero(day.changePercent),
    tx_amount_24h: decimalOfRaw(day.amountRaw, decimals),
  })
  const moving = tokenRowMovingPart(chain.gatewayChain, tokenId, nowS)
  expect(JSON.parse(`{${moving.value.slice(1)}`)).toMatchObject({
    token_price_24h_high: decimalOrZero(day.highUsd),
    token_price_24h_low: decimalOrZero(day.lowUsd),
  })
  expect(moving.validUntilS).toBeGreaterThan(nowS)
  expect(validUntilS).toBe(Math.min(...windows.map(({ changesAtS }) => changesAtS)))
}

test('behavior: a row equals its windows read one by one, with or without trades', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const market = createMarket()
      const { chain, weth, tokens, pairs } = market
      for (const { token, afterS, aheadS } of steps) {
        if (token !== null) chain.trade(pairs[token]!, weth, 0.5)
        chain.mine(afterS)
        const nowS = chain.engine.head()!.timeS + aheadS
        for (const { id } of tokens) expectWindows(market, id, nowS)
        expectWindows(market, weth.id, nowS)
      }
    }),
    { numRuns: propertyRuns(40) },
  )
})
