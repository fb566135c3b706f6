// Whatever names tokens have and whatever numbers the chain reports, a push is JSON, contains its
// inputs, and has only plain decimals.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import { decimalOfRaw } from '../../../lib/decimal.ts'
import type { LiquidityEvent, PairValuation, SwapEvent } from '../../../model/marketEvent.ts'
import type { PairFacts, TokenFacts } from '../../chain/pairFacts.ts'
import type { PairDay } from '../publishScope.ts'
import { TextPush } from '../push.ts'
import { pairSwapResult, swapFields, tokenSwapResult } from '../swapPushes.ts'
import { klineDayFields, klineResult } from './klineChannel.ts'
import { liquidityResult } from './liq.ts'
import { mainPairSwitchResult } from './mainPairSwitch.ts'
import { priceEntryText } from './priceTexts.ts'

const decimalText = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/
const exponentNumber = /[:,[{]-?\d+(\.\d+)?[eE]/

const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const int256 = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
const maybe = fc.option(fc.double(), { nil: null })
const maybeAmount = fc.option(uint256, { nil: null })
const integer = fc.oneof(
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 80 }).map((bits) => 2 ** bits),
)
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '"',
    '\\',
    '\\"},"x":{"',
    '\u2028\u2029',
    '\u0000\u001f',
    '\ud800',
    '💎',
    '</script>',
  ),
)
const decimals = fc.nat(36)
const token = fc
  .record({ id: fc.nat(), address: hostile, symbol: hostile, name: hostile, decimals })
  .map(({ symbol, name, ...rest }): TokenFacts & { symbol: string } => ({
    ...rest,
    symbol,
    addressJson: JSON.stringify(rest.address),
    symbolJson: JSON.stringify(symbol),
    nameJson: JSON.stringify(name),
  }))
const facts = fc
  .record({ token0: token, token1: token, is0Target: fc.boolean(), address: hostile, amm: hostile })
  .map(
    ({ address, amm, ...rest }): PairFacts => ({
      ...rest,
      address,
      target: rest.is0Target ? rest.token0 : rest.token1,
      addressJson: JSON.stringify(address),
      idJson: JSON.stringify(`${address}-local`),
      ammJson: JSON.stringify(amm),
      pairId: 0,
      chainJson: '"local"',
      tagJson: '""',
      nativeDecimals: 18,
      createdAtS: 0,
      isTrusted: true,
    }),
  )
const quote: fc.Arbitrary<PairValuation> = fc.record({
  price0Usd: maybe,
  price1Usd: maybe,
  price0Native: maybe,
  price1Native: maybe,
  liquidityUsd: fc.double(),
  liquidityNative: fc.double(),
})
const origin = {
  index: fc.nat(),
  txHash: hostile,
  wallet: hostile,
  sender: hostile,
  pairId: fc.constant(0),
  reserve0: uint256,
  reserve1: uint256,
  priceRaw: fc.double(),
}
const swap: fc.Arbitrary<SwapEvent> = fc.record({
  type: fc.constant('swap'),
  swap: fc.record({
    type: fc.constant('swap'),
    ...origin,
    to: hostile,
    amount0: int256,
    amount1: int256,
    holding0: maybeAmount,
    holding1: maybeAmount,
    native: maybeAmount,
    accountFlags: fc.nat(63),
  }),
  quote,
  amountUsdE8: integer,
  amountNativeRaw: uint256,
  isBuy: fc.boolean(),
})
const liquidity: fc.Arbitrary<LiquidityEvent> = fc.record({
  type: fc.constant('liquidity'),
  liquidity: fc.record({
    type: fc.constant('liquidity'),
    ...origin,
    amount0: uint256,
    amount1: uint256,
    kind: fc.constantFrom('add', 'remove', 'create', 'collect'),
  }),
  quote,
  amountUsdE8: integer,
  amountNativeRaw: uint256,
})
const place = { blockNumber: 5, timeS: 6 }

function parse(text: string) {
  expect(text).not.toMatch(exponentNumber)
  return JSON.parse(text)
}

const expectDecimals = (object: Record<string, unknown>, names: string) => {
  for (const name of names.split(' ')) expect(object[name], name).toMatch(decimalText)
}

test('behavior: swap pushes are valid JSON with plain decimals', () => {
  fc.assert(
    fc.property(facts, swap, (pair, event) => {
      const fields = swapFields(pair, event, place)
      const { tx } = parse(pairSwapResult(pair, fields, event.swap, ''))
      const { profile, tx_seq, ...shared } = tx
      expect(parse(tokenSwapResult(pair, fields, '')).tx).toEqual(shared)
      expect(tx_seq).toBe(String(event.swap.index))
      expectDecimals(
        tx,
        'amount_eth amount_usd from_amount from_price_eth from_price_usd from_reserve pair_liquidity_eth pair_liquidity_usd to_amount to_price_eth to_price_usd to_reserve',
      )
      const isFrom0 = tx.from_amount === decimalOfRaw(abs(event.swap.amount0), pair.token0.decimals)
      const isFrom1 = tx.from_amount === decimalOfRaw(abs(event.swap.amount1), pair.token1.decimals)
      expect(isFrom0 || isFrom1).toBe(true)
      expect(tx.wallet_address).toBe(event.swap.wallet)
      expect(tx.transaction).toBe(event.swap.txHash)
      const known = parse(profile)
      expect(known.token0Address).toBe(pair.token0.address)
      expect(known.token0TotalHolding_known).toBe(event.swap.holding0 === null ? false : undefined)
      expect(known.solTotalHolding_known).toBe(event.swap.native === null ? false : undefined)
      if (event.swap.holding1 === null) expect(known.token1TotalHolding).toBe(0)
    }),
    { numRuns: propertyRuns(500, { isCheap: true }) },
  )
})

const abs = (x: bigint) => (x < 0n ? -x : x)

test('behavior: liquidity pushes are valid JSON with plain decimals', () => {
  fc.assert(
    fc.property(facts, liquidity, (pair, event) => {
      const { tx } = parse(liquidityResult(pair, event, place, 'retracted'))
      expectDecimals(tx, 'amount0 amount1 reserve0 reserve1 amount_usd amount_eth')
      expect(tx.amount0).toBe(decimalOfRaw(event.liquidity.amount0, pair.token0.decimals))
      expect(tx.token1_symbol).toBe(JSON.parse(pair.token1.symbolJson))
    }),
    { numRuns: propertyRuns(300, { isCheap: true }) },
  )
})

const ohlc = fc.record({
  open: fc.double(),
  high: fc.double(),
  low: fc.double(),
  close: fc.double(),
})
const kline = fc.record({
  startS: fc.nat(),
  usd: ohlc,
  native: ohlc,
  count: fc.nat(),
  volumeUsdE8: uint256,
  volumeNativeRaw: uint256,
})
const day = fc
  .record({
    state: fc.record({
      reserve0: uint256,
      reserve1: uint256,
      initReserve0: uint256,
      initReserve1: uint256,
      tvlUsd: fc.double(),
      updatedAtS: fc.nat(),
    }),
    window: fc.record({
      buyVolumeUsdE8: uint256,
      sellVolumeUsdE8: uint256,
      amountRaw: uint256,
      buyCount: fc.nat(),
      sellCount: fc.nat(),
      highUsd: maybe,
      lowUsd: maybe,
      changePercent: maybe,
    }),
    priceUsd: maybe,
    changeToday: fc.double(),
  })
  .map((parts) => parts as unknown as PairDay)

test('behavior: klines, prices and switches are valid JSON with plain decimals', () => {
  fc.assert(
    fc.property(facts, kline, day, maybe, maybe, (pair, bar, now, uprice, before) => {
      const parts = { facts: pair, interval: '15', kline: bar, mark: null }
      const made = parse(klineResult({ ...parts, dayFields: klineDayFields(pair, now) }))
      expectDecimals(made.kline.eth, 'open high low close volume')
      expectDecimals(
        made.kline.usd,
        'open high low close volume amount_24h change change_v2 count_24h high_24h low_24h volume_24h',
      )
      expectDecimals(
        parse(
          priceEntryText(pair, now.state, {
            ...pair.target,
            step: { now: uprice, before },
            changeToday: now.changeToday,
            window: now.window,
            makers: bar.count,
            tvl: { usd: now.state.tvlUsd, isKnown: true },
            isMainPair: true,
          }),
        ),
        'uprice last_price reserve0 reserve1 price_change price_change_24h volume_24_u change tvl makers_24h tx_amount_24h tx_count_24h',
      )
      const names = {
        token: pair.token0.address,
        oldAddress: pair.address,
        chain: 'local',
        tag: '"',
      }
      const { data } = parse(
        mainPairSwitchResult({ ...names, newFacts: pair, newState: now.state }),
      )
      expect(data.new_main_pair_data.token0_symbol).toBe(JSON.parse(pair.token0.symbolJson))
      expect(data.tag).toBe('"')
    }),
    { numRuns: propertyRuns(300, { isCheap: true }) },
  )
})

test('behavior: the plain and the detailed form of a push have the same result', () => {
  fc.assert(
    fc.property(facts, swap, hostile, (pair, event, cursor) => {
      const result = tokenSwapResult(pair, swapFields(pair, event, place), '')
      const where = { cursor, cursorBefore: 'x', blockTimeS: 6, receivedMs: null }
      const push = new TextPush({ result, place: where, sentMs: 7, conflateKey: null })
      const plain = JSON.parse(`{"id":1${push.plain}`)
      const detailed = JSON.parse(`{"id":1${push.detailed()}`)
      const { cursor: pushed, block_time, received_time, ...rest } = detailed
      expect(rest).toEqual(plain)
      expect(pushed).toBe(cursor === '' ? null : cursor)
      expect([block_time, received_time]).toEqual([6, null])
    }),
    { numRuns: propertyRuns(200, { isCheap: true }) },
  )
})
