// A PumpSwap route is a trade on each of its pools and curves.
import { expect, test } from 'vitest'
import {
  addCurveRun,
  addRoute,
  beginTransaction,
  buyback,
  curveA,
  curveB,
  emit,
  mintA,
  mintB,
  mintC,
  poolA,
  poolC,
  poolEvent,
  pump,
  read,
  readWithTruncatedLogs,
  sol,
  summaryOf,
  swapProgram,
  tradeEvent,
  user,
  userAccountFor,
  virtualReserves,
} from '../../../../../test/support/solana/pumpInstructions.ts'
import { hex, keyOf } from '../../../../devnet/src/solana/transactionBuilder.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'

test('default: a route through a pool and a curve is one trade of each, in the order of the route', () => {
  const builder = beginTransaction()
  addRoute(builder, { from: sol, to: mintB, hops: [poolA, curveB] }, () => {
    builder.transfer(userAccountFor(sol), poolA.vaults[1], user, 999_500n)
    builder.transfer(userAccountFor(sol), buyback, user, 500n)
    emit(
      builder,
      swapProgram,
      poolEvent(poolA, { isBuy: true, virtualBefore: -3_000n, quote: 990_000n }),
    )
    addCurveRun(builder, [curveB], () => {
      builder.transfer(poolA.vaults[0], curveB.vaults[1], poolA.pool, 4_000_000n)
      builder.transfer(curveB.vaults[0], userAccountFor(mintB), curveB.pool, 77_000_000n)
      const fill = { isBuy: true, tokens: 77_000_000n, quote: 4_000_000n }
      emit(builder, pump, tradeEvent(curveB, fill))
    })
  })
  for (const { swaps, malformed } of readWithTruncatedLogs(builder)) {
    expect(swaps.map(summaryOf)).toEqual([
      ['pumpSwap', poolA.pool, -4_000_000n, 999_500n, user],
      ['pumpFun', curveB.pool, -77_000_000n, 4_000_000n, user],
    ])
    expect(malformed).toBe(0)
    const [first, second] = swaps as [DecodedSwap, DecodedSwap]
    expect(first.tokens).toEqual([mintA, sol])
    expect([first.reserve0, first.reserve1]).toEqual([
      10n ** 15n - 4_000_000n,
      10n ** 15n + 999_500n,
    ])
    // 9,500 of the vault's balance are fees waiting for collection.
    const effective = 10 ** 15 + 990_000 - 3_000
    expect(first.told).toEqual([-12_500n])
    expect(first.priceRaw).toBeCloseTo(effective / (10 ** 15 - 4_000_000), 12)
    expect(second.curve).toEqual({ platform: pump, token0: mintB, token1: mintA, venue: 'pumpFun' })
    expect(second.priceRaw).toBe(Number(virtualReserves[0]) / Number(virtualReserves[1]))
  }
})

test('behavior: a route through curves alone is a trade on each, also where lamports leave the last one', () => {
  const builder = beginTransaction()
  addRoute(builder, { from: mintB, to: sol, hops: [curveB, curveA] }, () => {
    addCurveRun(builder, [curveB, curveA], () => {
      builder.transfer(userAccountFor(mintB), curveB.vaults[0], user, 50_000_000n)
      emit(
        builder,
        pump,
        tradeEvent(curveB, { isBuy: false, tokens: 50_000_000n, quote: 2_000_000n }),
      )
      builder.transfer(curveB.vaults[1], curveA.vaults[0], curveB.pool, 2_000_000n)
      builder.shift(curveA.pool, user, 31_000n)
      emit(builder, pump, tradeEvent(curveA, { isBuy: false, tokens: 2_000_000n, quote: 31_400n }))
    })
  })
  for (const { swaps, malformed } of readWithTruncatedLogs(builder)) {
    expect(swaps.map(summaryOf)).toEqual([
      ['pumpFun', curveB.pool, 50_000_000n, -2_000_000n, user],
      ['pumpFun', curveA.pool, 2_000_000n, -31_400n, user],
    ])
    expect(swaps.map(({ tokens }) => tokens)).toEqual([
      [mintB, mintA],
      [mintA, sol],
    ])
    expect(malformed).toBe(0)
  }
})

test('behavior: curves that follow one another are one call, and the pool behind them is paid by the last', () => {
  const builder = beginTransaction()
  addRoute(builder, { from: sol, to: mintC, hops: [curveA, curveB, poolC] }, () => {
    addCurveRun(builder, [curveA, curveB], () => {
      builder.pay(user, curveA.pool, 90_000n)
      emit(builder, pump, tradeEvent(curveA, { isBuy: true, tokens: 6_000_000n, quote: 89_000n }))
      builder.transfer(curveA.vaults[0], curveB.vaults[1], curveA.pool, 6_000_000n)
      emit(builder, pump, tradeEvent(curveB, { isBuy: true, tokens: 11_000n, quote: 6_000_000n }))
      builder.transfer(curveB.vaults[0], poolC.vaults[1], curveB.pool, 11_000n)
    })
    builder.transfer(poolC.vaults[0], userAccountFor(mintC), poolC.pool, 5_500n)
    emit(builder, swapProgram, poolEvent(poolC, { isBuy: true, virtualBefore: 0n, quote: 11_000n }))
  })
  for (const { swaps, malformed } of readWithTruncatedLogs(builder)) {
    expect(swaps.map(summaryOf)).toEqual([
      ['pumpFun', curveA.pool, -6_000_000n, 89_000n, user],
      ['pumpFun', curveB.pool, -11_000n, 6_000_000n, user],
      ['pumpSwap', poolC.pool, -5_500n, 11_000n, user],
    ])
    expect(malformed).toBe(0)
  }
})

test('error: a hop that cannot be read is counted, and the others are trades', () => {
  const builder = beginTransaction()
  addRoute(builder, { from: sol, to: mintB, hops: [poolA, curveB] }, () => {
    builder.transfer(userAccountFor(sol), poolA.vaults[1], user, 1_000n)
    addCurveRun(builder, [curveB], () => {
      builder.transfer(poolA.vaults[0], curveB.vaults[1], poolA.pool, 400n)
      builder.transfer(curveB.vaults[0], userAccountFor(mintB), curveB.pool, 700n)
    })
  })
  const { swaps, malformed } = read(builder.build())
  expect(swaps.map(summaryOf)).toEqual([['pumpSwap', poolA.pool, -400n, 1_000n, user]])
  expect(swaps[0]!.priceRaw).toBeNull()
  expect(malformed).toBe(1)
})

test('error: curve hops outside a route, and a route with half a hop, are counted', () => {
  const alone = beginTransaction()
  addCurveRun(alone, [curveB], () => {
    emit(alone, pump, tradeEvent(curveB, { isBuy: true, tokens: 1n, quote: 1n }))
  })
  expect(read(alone.build())).toEqual({ swaps: [], malformed: 1 })
  const half = beginTransaction()
  const accounts = Array.from({ length: 18 }, (_, at) => keyOf(`half ${at}`))
  half.call(swapProgram, accounts, hex('2b644913e9f66f94'))
  expect(read(half.build())).toEqual({ swaps: [], malformed: 1 })
})
