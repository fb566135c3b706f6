import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  pair,
  sync,
  token,
  tokens,
} from '../../../../../test/support/marketChain.ts'

type Chain = ReturnType<typeof createChain>

/**
 * A market of token 4 with two pairs: against the native token (2.0 M USD, the main pair) and
 * against a stablecoin (1.9 M USD).
 */
function createRivals(limits: Parameters<typeof createChain>[0] = {}): Chain {
  const chain = createChain(limits)
  chain.commit({
    tokens,
    pairs: [pair(0, 0, 1), pair(1, 4, 0), pair(2, 4, 1)],
    events: [sync(0, 1_000, 2_000_000), sync(1, 2_000, 1_000), sync(2, 2_000, 1_900_000)],
  })
  return chain
}

/**
 * Lets time pass without changes until a main pair changes. Returns the seconds; null after `max`.
 */
function quietUntilSwitch({ pass }: Chain, max = 120): number | null {
  for (let count = 1; count <= max; count += 1)
    if (eventsOfType(pass(), 'mainPair').length > 0) return count
  return null
}

test('behavior: a lead caused only by rates counts', () => {
  const chain = createRivals()
  expect(chain.engine.mainPairOf(4)).toBe(1)
  chain.commit({ events: [sync(0, 1_000, 1_800_000)] })
  expect(quietUntilSwitch(chain)).toBeNull()
  chain.commit({ events: [sync(0, 2_000, 1_000_000)] })
  expect(quietUntilSwitch(chain)).toBe(20)
  expect(chain.engine.mainPairOf(4)).toBe(2)
})

test('behavior: a lead in many small steps counts from the step that reaches 10 %', () => {
  const chain = createRivals()
  // The pair of 1.9 M USD leads by 10 % when the native token is worth less than 1,727.27 USD.
  let usd = 2_000
  for (; usd >= 1_727; usd -= 0.5) chain.commit({ events: [sync(0, 1_000, usd * 1_000)] })
  expect(quietUntilSwitch(chain)).toBe(20)
})

test('behavior: a lead that rates interrupt for one block starts over', () => {
  const chain = createRivals()
  chain.commit({ events: [sync(2, 2_000, 2_300_000)] })
  for (let left = 15; left > 0; left -= 1) chain.pass()
  chain.commit({ events: [sync(0, 1_000, 4_000_000)] })
  chain.commit({ events: [sync(0, 1_000, 2_000_000)] })
  expect(quietUntilSwitch(chain)).toBe(20)
})

test('behavior: a lead caused by rates is reverted with its block', () => {
  const chain = createRivals()
  chain.commit({ events: [sync(0, 2_000, 1_000_000)] })
  const hash = chain.engine.stateHash()
  for (let left = 19; left > 0; left -= 1) chain.pass()
  expect(eventsOfType(chain.pass(), 'mainPair')).toHaveLength(1)
  for (let left = 20; left > 0; left -= 1) chain.revert()
  expect(chain.engine.stateHash()).toBe(hash)
  expect(quietUntilSwitch(chain)).toBe(20)
})

test('behavior: tokens get their first main pair when their quote is priced', () => {
  const { engine, commit } = createChain()
  commit({ tokens, pairs: [pair(0, 4, 0)], events: [sync(0, 10, 10)] })
  expect(engine.mainPairOf(4)).toBeNull()
  commit({ pairs: [pair(1, 0, 1)], events: [sync(1, 1_000, 2_000_000)] })
  expect(engine.tokenState(4)).toMatchObject({ mainPairId: 0, price: { usd: 2_000 } })
})

test('behavior: a third pair ahead of the new main pair starts its lead at once', () => {
  const chain = createRivals()
  chain.commit({ pairs: [pair(3, 4, 2)], events: [sync(2, 2_000, 2_300_000)] })
  chain.commit({ events: [sync(3, 2_000, 9_000_000)] })
  expect(quietUntilSwitch(chain)).toBe(19)
  expect(chain.engine.mainPairOf(4)).toBe(2)
  expect(quietUntilSwitch(chain)).toBe(20)
  expect(chain.engine.mainPairOf(4)).toBe(3)
})

test('args: mainPairRateChecksMax spreads checks over blocks', () => {
  const chain = createChain({ mainPairRateChecksMax: 1 })
  const many = [4, 5, 6, 7]
  chain.commit({
    tokens: [...tokens, token(6), token(7)],
    pairs: [
      pair(0, 0, 1),
      ...many.flatMap((id) => [pair(id * 2 - 7, id, 0), pair(id * 2 - 6, id, 1)]),
    ],
    events: [
      sync(0, 1_000, 2_000_000),
      ...many.flatMap((id) => [sync(id * 2 - 7, 2_000, 1_000), sync(id * 2 - 6, 2_000, 1_900_000)]),
    ],
  })
  const switched: number[] = []
  chain.commit({ events: [sync(0, 2_000, 1_000_000)] })
  for (let block = 1; block < 30; block += 1)
    for (const _ of eventsOfType(chain.pass(), 'mainPair')) switched.push(block)
  expect(switched).toEqual([20, 21, 22, 23])
})

test('behavior: an empty launch curve prices its token, a pool without reserves does not', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const origin = { index: 0, txHash: 'tx', wallet: 'dev' }
  const curve = { ...pair(2, 5, 0), kind: 'curve' as const, platform: 'launchpad' }
  const launch = { ...origin, type: 'launch', pairId: 2, tokenId: 5, creator: 'dev' } as const
  const start = (pairId: number) => ({ ...sync(pairId, 1_000, 0), priceRaw: 0.1 })
  const pairs = [curve, pair(3, 6, 0)]
  commit({ tokens: [token(6)], pairs, events: [launch, start(2), start(3)] })
  expect(engine.mainPairOf(5)).toBe(2)
  expect(engine.tokenState(5).price!.usd).toBeGreaterThan(0)
  expect(engine.pairState(2).tvlUsd).toBeGreaterThan(0)
  expect(engine.mainPairOf(6)).toBeNull()
})

test('behavior: a graduated pair is judged against the others from its first block', () => {
  const { engine, commit, pass } = createChain()
  commit(genesis)
  const origin = { index: 0, txHash: 'tx', wallet: 'dev' }
  const curve = { ...pair(2, 5, 0), kind: 'curve' as const, platform: 'launchpad' }
  const launch = { ...origin, type: 'launch', pairId: 2, tokenId: 5, creator: 'dev' } as const
  commit({ pairs: [curve, pair(3, 5, 0)], events: [launch, sync(2, 1_000, 100)] })
  commit({ events: [sync(3, 1_000, 10)] })
  const ids = { tokenId: 5, curvePairId: 2, pairId: 3 }
  commit({ events: [{ ...origin, type: 'graduation', ...ids }] })
  expect(engine.mainPairOf(5)).toBe(3)
  for (let left = 20; left > 0; left -= 1) pass()
  expect(engine.mainPairOf(5)).toBe(2)
})
