// A buy that completes a curve and continues in the future pool.
import { expect, test } from 'vitest'
import {
  addCurveRun,
  addRoute,
  beginTransaction,
  type CurveFill,
  completingAmounts,
  curveA,
  curveB,
  emit,
  endEvents,
  mintA,
  mintB,
  poolA,
  poolEvent,
  pump,
  read,
  readWithTruncatedLogs,
  realReserves,
  sol,
  soldOutReserves,
  summaryOf,
  swapProgram,
  tradeEvent,
  user,
  userAccountFor,
  type Venue,
  v3Accounts,
} from '../../../../../test/support/solana/pumpInstructions.ts'
import { hex, keyOf, TransactionBuilder } from '../../../../devnet/src/solana/transactionBuilder.ts'
import { encodeKey } from '../../lib/bytes/encodeKey.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'
import { decodeSolanaTransactions } from './decodeSolanaBlock.ts'

test.each([
  ['one transfer', true],
  ['two transfers', false],
])('default: the buy that completes a curve and goes on in the pool to be, in %s', (_, isOne) => {
  const { left, curveQuote, rest } = completingAmounts()
  const builder = beginTransaction()
  builder.call(pump, v3Accounts(curveA), hex('07051dc4f5176550'), () => {
    const parts = isOne ? [left + rest.baseOut] : [left, rest.baseOut]
    for (const part of parts)
      builder.transfer(curveA.vaults[0], userAccountFor(mintA), curveA.pool, part)
    builder.pay(user, curveA.pool, curveQuote + rest.quoteIn)
    const fill = { isBuy: true, tokens: left, quote: curveQuote, reserves: soldOutReserves }
    emit(builder, pump, tradeEvent(curveA, fill, 'buy'))
    for (const event of endEvents(curveA, rest)) emit(builder, pump, event)
  })
  for (const { swaps, malformed } of readWithTruncatedLogs(builder)) {
    expect(swaps.map(summaryOf)).toEqual([
      ['pumpFun', curveA.pool, -left, curveQuote, user],
      ['pumpFun', curveA.pool, -rest.baseOut, rest.quoteIn, user],
    ])
    expect(malformed).toBe(0)
    const [first, second] = swaps as [DecodedSwap, DecodedSwap]
    expect([first.reserve0, first.reserve1]).toEqual([0n, realReserves[0]])
    expect([second.reserve0, second.reserve1]).toEqual([0n, realReserves[0] + rest.quoteIn])
    const [base, quote] = [rest.before[0] - rest.baseOut, rest.before[1] + rest.quoteIn]
    expect(second.priceRaw).toBe(Number(quote) / Number(base))
  }
  const events = decodeSolanaTransactions([builder.build()])
  expect(events.filter(({ type }) => type === 'curve')).toMatchObject([{ filledPpm: 1_000_000 }])
})

test('behavior: a curve hop that completes its curve goes on in the pool to be, too', () => {
  const { left, curveQuote, rest } = completingAmounts()
  const builder = beginTransaction()
  addRoute(builder, { from: sol, to: mintB, hops: [poolA, curveB] }, () => {
    const spent = curveQuote + rest.quoteIn
    builder.transfer(userAccountFor(sol), poolA.vaults[1], user, 1_000n)
    emit(builder, swapProgram, poolEvent(poolA, { isBuy: true, virtualBefore: 0n, quote: 1_000n }))
    addCurveRun(builder, [curveB], () => {
      builder.transfer(poolA.vaults[0], curveB.vaults[1], poolA.pool, spent)
      builder.transfer(curveB.vaults[0], userAccountFor(mintB), curveB.pool, left + rest.baseOut)
      const fill = { isBuy: true, tokens: left, quote: curveQuote, reserves: soldOutReserves }
      emit(builder, pump, tradeEvent(curveB, fill))
      for (const event of endEvents(curveB, rest)) emit(builder, pump, event)
    })
  })
  for (const { swaps, malformed } of readWithTruncatedLogs(builder)) {
    expect(swaps.map(summaryOf)).toEqual([
      ['pumpSwap', poolA.pool, -(curveQuote + rest.quoteIn), 1_000n, user],
      ['pumpFun', curveB.pool, -left, curveQuote, user],
      ['pumpFun', curveB.pool, -rest.baseOut, rest.quoteIn, user],
    ])
    expect(malformed).toBe(0)
  }
})

// The PostCompleteBuyEvent that
// 3hYp997p8dPUpoonLZL3E5ZTCA8WS8sUUaQV1qWRfLXTVdJXjSUVoWBpLC7vNijR5uP7AdSYy6QwKf85hq84oU7R emitted
// in slot 454,795,813 of mainnet, and the numbers of the TradeEvent before it.
const mainnetRest =
  'b7BtizFs1fsAX9L+GDwlFvRWXRHaavuhuplBE5etaMC/Tedtqopr5pJJt/CH6X4bLyFCScmUto0PzcNwo2BLmgIS67udA8eMn8fqMXw07mOpJWOp7Xra8uvrSCvWcq1EePxAbz42YRUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABiUyGoAAAAA0cJr0QoAAAD6SyMBAAAAAF8AAAAAAAAAcMQCAAAAAAAeAAAAAAAAALjfAAAAAAAAOGIBAAAAAAAACAGpLLwAAGMC0skTAAAAL0WV1yG8AABdTvXKEwAAAA=='
const mainnetTrade: CurveFill = {
  isBuy: true,
  tokens: 1_132_030_466n,
  quote: 465_127n,
  reserves: [115_005_362_212n, 279_900_000_000_000n, 85_005_362_212n, 0n],
}

test('behavior: a completing buy of mainnet is two trades that add up to the event of the future pool', () => {
  const rest = Buffer.from(mainnetRest, 'base64')
  const u64At = (at: number) => rest.readBigUInt64LE(at)
  const [signer, mint, pool] = [8, 40, 72].map((at) => encodeKey(rest, at)) as [
    ...[string, string, string],
  ]
  const curve: Venue = { mint, quote: sol, pool, vaults: [keyOf('base'), keyOf('quote')] }
  const builder = new TransactionBuilder(signer)
  builder.call(pump, v3Accounts(curve), hex('e1f7501ed5b38488'), () => {
    emit(builder, pump, tradeEvent(curve, mainnetTrade, 'buy_exact_quote_in'))
    for (const event of [...endEvents(curve, null), rest]) emit(builder, pump, event)
  })
  const { swaps, malformed } = read(builder.build())
  expect(malformed).toBe(0)
  const [before, after] = [
    { base: u64At(200), quote: u64At(208) },
    { base: u64At(216), quote: u64At(224) },
  ]
  expect(swaps).toMatchObject([
    { pool, amount0: -mainnetTrade.tokens, amount1: mainnetTrade.quote, reserve0: 0n },
    { pool, amount0: after.base - before.base, amount1: after.quote - before.quote },
  ])
  expect(swaps[1]!.priceRaw).toBe(Number(after.quote) / Number(after.base))
  // The future pool has all that the curve raised minus the migration fee, and continues at the
  // curve's price.
  expect(before.quote).toBe(swaps[0]!.reserve1! - 15_000_001n)
  const ratio = Number(before.quote) / Number(before.base)
  expect(Math.abs(ratio / swaps[0]!.priceRaw! - 1)).toBeLessThan(0.001)
})
