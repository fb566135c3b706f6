// Answers of unknown Curve pools about their coins, and the couple that a swap trades.
import { expect, test } from 'vitest'
import type { PoolQuery } from '../../model/pool.ts'
import { encodeCall, selector } from './asking/callWords.ts'
import type { Inquiry, ViewCall } from './asking/inquiry.ts'
import { curve, curveUnderlying } from './curve.ts'
import type { EvmVenue, PoolIdentity } from './venue.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [pool, base, coinA, coinB, coinC, shares] = [
  ...['b0', 'ba', 'a1', 'a2', 'a3', '5a'].map(address),
] as [string, string, string, string, string, string]
const native = address('00')
const wordOf = (value: string) => `0x${value.slice(2).padStart(64, '0')}`

type Contracts = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Answers of a pool that lists these coins under a signature. */
const listed = (signature: string, coins: readonly string[]) =>
  Object.fromEntries(coins.map((coin, at) => [encodeCall(signature, at), wordOf(coin)]))

function ask<answer>(inquiry: Inquiry<answer>, contracts: Contracts): answer {
  if ('answer' in inquiry) return inquiry.answer
  const answers = inquiry.calls.map(({ to, data }) => contracts[to]?.[data] ?? null)
  return ask(inquiry.next(answers), contracts)
}

function identityOf(venue: EvmVenue, contracts: Contracts, couple?: [string, string]) {
  const { questions, read } = venue.identity!
  const query = { pool, key: pool, couple } as PoolQuery & { key: string }
  const answers = Object.fromEntries(
    Object.entries(questions).map(([name, question]) => {
      const { to, data } = question(query) as ViewCall
      return [name, contracts[to]?.[data] ?? null]
    }),
  )
  return ask(read(answers, query), contracts) as PoolIdentity | null
}

const fee = { [selector.fee]: wordOf(`0x${(4_000_000).toString(16)}`) }

test('default: the first two coins trade in a pool, with its fee', () => {
  for (const signature of [selector.coins, selector.coinsOld])
    expect(identityOf(curve, { [pool]: { ...listed(signature, [coinA, coinB]), ...fee } })).toEqual(
      {
        token0: coinA,
        token1: coinB,
        factory: '',
        others: [],
        feePpm: 400,
        params: [0n, 1n],
      },
    )
})

test('behavior: a couple is two of several coins, and others are listed', () => {
  const contracts = { [pool]: listed(selector.coins, [coinA, coinB, coinC]) }
  expect(identityOf(curve, contracts, ['0x1', '0x2'])).toEqual({
    token0: coinB,
    token1: coinC,
    factory: '',
    others: [coinA],
    feePpm: null,
    params: [1n, 2n, 0n],
  })
  expect(identityOf(curve, contracts, ['0x1', '0x3'])).toBe(null)
  expect(identityOf(curve, contracts, ['0x1', '0x1'])).toBe(null)
})

test('behavior: the address for the native coin is the native coin', () => {
  const coins = listed(selector.coins, [address('ee'), coinB])
  expect(identityOf(curve, { [pool]: coins })).toMatchObject({ token0: native, token1: coinB })
})

test('behavior: a pool without two coins is not a Curve pool', () => {
  expect(identityOf(curve, {})).toBe(null)
  expect(identityOf(curve, { [pool]: listed(selector.coins, [coinA]) })).toBe(null)
  expect(identityOf(curve, { [pool]: listed(selector.coins, [coinA, coinA]) })).toBe(null)
})

test('behavior: underlying coins are those that the pool lists, of old and new signatures', () => {
  for (const signature of [selector.underlyingCoins, selector.underlyingCoinsOld]) {
    const contracts = { [pool]: { ...listed(signature, [coinA, coinB, coinC]), ...fee } }
    expect(identityOf(curveUnderlying, contracts, ['0x0', '0x2'])).toEqual({
      token0: coinA,
      token1: coinC,
      factory: '',
      others: [coinB],
      feePpm: 400,
      params: [0n, 2n, 1n],
    })
  }
})

test('behavior: underlying coins are the own first coin and those of the base pool', () => {
  for (const getter of [selector.basePool, selector.basePoolConstant])
    for (const signature of [selector.coins, selector.coinsOld]) {
      const own = listed(signature, [coinA, shares])
      const contracts = {
        [pool]: { ...own, ...fee, [getter]: wordOf(base) },
        [base]: listed(signature, [coinB, coinC]),
      }
      expect(identityOf(curveUnderlying, contracts, ['0x0', '0x2'])).toMatchObject({
        token0: coinA,
        token1: coinC,
        others: [coinB],
        feePpm: 400,
        params: [0n, 2n, 1n],
      })
    }
})

test('behavior: two underlying coins are the pair of the coins themselves', () => {
  const two = { [pool]: listed(selector.underlyingCoins, [coinA, coinB]) }
  expect(identityOf(curveUnderlying, two)).toBe(null)
  expect(identityOf(curveUnderlying, { [pool]: listed(selector.coins, [coinA, shares]) })).toBe(
    null,
  )
  expect(identityOf(curveUnderlying, { [pool]: { [selector.basePool]: wordOf(base) } })).toBe(null)
})

test('behavior: a factory that lists the two coins of a pool confirms it', () => {
  const [question] = curve.identity!.confirm!(pool, {
    ...{ factory: base, token0: native, token1: coinB },
  } as never)
  expect(question!.call).toEqual({ to: base, data: encodeCall(selector.getCoins, pool) })
  const answerOf = (...coins: string[]) =>
    `0x${coins.map((coin) => wordOf(coin).slice(2)).join('')}`
  expect(question!.isYes(answerOf(address('ee'), coinB))).toBe(true)
  expect(question!.isYes(answerOf(native, coinB))).toBe(false)
  expect(question!.isYes(answerOf(address('ee'), coinA))).toBe(false)
})
