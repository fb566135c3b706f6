import { expect, test } from 'vitest'
import {
  createChain,
  genesis,
  pair,
  profile,
  sync,
} from '../../../../../test/support/marketChain.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { FinishedBlock } from '../../model/finishedBlock.ts'
import { type Engine, restoreEngine } from '../engine.ts'

/** Token 3 is a quote asset worth 4 native; token 5 is priced only in token 3. */
const market: Partial<FinishedBlock> = {
  ...genesis,
  pairs: [...genesis.pairs, pair(2, 3, 0), pair(3, 5, 3)],
  events: [...genesis.events, sync(2, 1_000, 4_000), sync(3, 3_000, 6_000)],
}

const without3: ChainProfile = { ...profile, quotes: ['token-1', 'token-2', 'token-0'] }
const reordered: ChainProfile = { ...profile, quotes: ['token-3', 'token-0', 'token-2', 'token-1'] }

function playedWith(config: ChainProfile): Engine {
  const { engine, commit, pass } = createChain({ profile: config })
  commit(market)
  pass()
  engine.apply({ type: 'finalize', ref: engine.head()! })
  return engine
}

/** Restarts the engine with another config and applies one block with these `parts`. */
function restart(engine: Engine, config: ChainProfile, parts: Partial<FinishedBlock> = {}): Engine {
  engine.apply({ type: 'finalize', ref: engine.head()! })
  const restored = restoreEngine({ profile: config }, engine.snapshot())
  commitTo(restored, parts)
  return restored
}

function commitTo(engine: Engine, parts: Partial<FinishedBlock>): void {
  const { number, hash: parentHash, timeS } = engine.head()!
  const parent = { parentNumber: number, parentHash }
  const ref = { number: number + 1, hash: `next-${number + 1}`, ...parent, timeS: timeS + 1 }
  const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null }
  engine.apply({ type: 'commit', block: { ref, receivedMs: 0, ...rest, ...parts } })
}

const pricesOf = (engine: Engine) =>
  [0, 1, 2, 3, 4, 5].map((id) => engine.tokenState(id).price?.usd ?? null)

test('default: a restart with the same config keeps the state', () => {
  const engine = playedWith(profile)
  const restored = restoreEngine({ profile }, engine.snapshot())
  expect(restored.stateHash()).toBe(engine.stateHash())
  expect(pricesOf(engine)).toEqual([2_000, 1, 1, 8_000, 1_000, 16_000])
})

test('behavior: quote assets in another order keep their prices', () => {
  const engine = playedWith(profile)
  expect(pricesOf(restart(engine, reordered))).toEqual(pricesOf(engine))
  expect(pricesOf(restart(restart(engine, reordered), profile))).toEqual(pricesOf(engine))
})

test('behavior: a removed quote asset prices nothing until it is added again', () => {
  const engine = playedWith(profile)
  const stopped = restart(engine, without3, { events: [sync(3, 3_000, 6_000)] })
  // Token 3 itself is priced like any other token.
  expect(pricesOf(stopped)).toEqual([2_000, 1, 1, 8_000, 1_000, null])
  expect(stopped.mainPairOf(5)).toBe(null)
  // The pair keeps its sides and is valued by the price of its quote token.
  expect(stopped.pairState(3).price0Usd).toBe(16_000)
  const back = restart(stopped, profile, { events: [sync(3, 3_000, 6_000)] })
  expect(back.mainPairOf(5)).toBe(3)
  commitTo(back, { events: [sync(3, 3_000, 6_000)] })
  expect(pricesOf(back)).toEqual(pricesOf(engine))
})

test('behavior: a new quote asset prices its pairs from the next blocks on', () => {
  const engine = playedWith(without3)
  expect(pricesOf(engine)[5]).toBe(null)
  const restored = restart(engine, profile, { events: [sync(3, 3_000, 6_000)] })
  commitTo(restored, { events: [sync(3, 3_000, 6_000)] })
  expect(pricesOf(restored)).toEqual([2_000, 1, 1, 8_000, 1_000, 16_000])
})

test('behavior: a new stablecoin counts in the native price', () => {
  const config = { ...profile, stables: ['token-1'], quotes: [...profile.quotes] }
  const { engine, commit } = createChain({ profile: config })
  commit({
    ...market,
    pairs: [...market.pairs!, pair(4, 2, 0)],
    events: [...market.events!, sync(4, 4_000_000, 1_000)],
  })
  expect(engine.nativeUsd()).toBe(2_000)
  const restored = restart(engine, profile)
  // The native price is the mean of two pools; the second is at 4,000 USD and twice as deep.
  expect(restored.nativeUsd()).toBeCloseTo((2_000 + 2 * 4_000) / 3)
})
