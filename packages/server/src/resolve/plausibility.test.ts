import { expect, test } from 'vitest'
import type { DecodedBlock, DecodedEvent } from '../model/decodedBlock.ts'
import { createPlausibility, plausibilityLimitsDefault } from './plausibility.ts'

const origin = { index: 0, txHash: '0xt', wallet: '0xw' }
const [pool, router, tokenA, tokenB] = ['0xpool', '0xrouter', '0xa', '0xb']
const unit = 10n ** 18n

const blockOf = (...events: DecodedEvent[]): DecodedBlock => ({
  ref: { number: 1, hash: 'h', parentNumber: 0, parentHash: 'p', timeS: 1 },
  events,
})

const move = (token: string, from: string, to: string, amount: bigint): DecodedEvent => ({
  type: 'transfer',
  index: 0,
  txHash: 'tx',
  token,
  from,
  to,
  amount,
})

type Reserves = { reserve0: bigint | null; reserve1: bigint | null; priceRaw?: number | null }

const sync = ({ priceRaw = null, ...reserves }: Reserves): DecodedEvent => ({
  type: 'sync',
  pool,
  ...origin,
  ...reserves,
  priceRaw,
})

/** A trade of 10 A for 20 B that reports these reserves after it. */
const swap = ({ priceRaw = null, ...reserves }: Reserves, amount0 = 10n * unit): DecodedEvent => ({
  type: 'swap',
  pool,
  ...origin,
  sender: router,
  to: router,
  amount0,
  amount1: -20n * unit,
  ...reserves,
  priceRaw,
})

const before = { reserve0: 1_000n * unit, reserve1: 2_000n * unit, priceRaw: 2 }
const after = { reserve0: 1_010n * unit, reserve1: 1_980n * unit, priceRaw: 1.96 }
const transfers = [move(tokenA, router, pool, 10n * unit), move(tokenB, pool, router, 20n * unit)]

function open(limits = {}) {
  const plausibility = createPlausibility({ ...plausibilityLimitsDefault, ...limits })
  plausibility.accept(blockOf(sync(before)))
  return plausibility
}

test('default: a trade that matches its transfers and the earlier reserves is plausible', () => {
  const plausibility = open()
  expect(plausibility.findDoubt(blockOf(...transfers, swap(after)))).toBeNull()
  // A pool's first event has no earlier state to be compared with.
  const fresh = createPlausibility(plausibilityLimitsDefault)
  expect(fresh.findDoubt(blockOf(swap(after)))).toBeNull()
})

test('behavior: reserves are followed over two trades of one block', () => {
  const second = { reserve0: 1_020n * unit, reserve1: 1_960n * unit, priceRaw: 1.92 }
  const block = blockOf(...transfers, swap(after), ...transfers, swap(second))
  expect(open().findDoubt(block)).toBeNull()
})

test.each([
  ['a reserve jumps', sync({ ...before, reserve0: 200_000n * unit })],
  ['a reserve jumps', sync({ ...before, reserve1: unit })],
  ['the price jumps', sync({ reserve0: null, reserve1: null, priceRaw: 300 })],
  ['the price jumps', sync({ reserve0: null, reserve1: null, priceRaw: 0.01 })],
  ['an amount is too large', swap(after, 1n << 128n)],
  ['reserves disagree with the amounts', swap({ ...after, reserve1: 5_000n * unit })],
  ['reserves disagree with the amounts', swap(after, 500n * unit)],
])('behavior: a block is doubted if %s', (reason, event) => {
  expect(open().findDoubt(blockOf(...transfers, event))?.reason).toBe(`${reason} at ${pool}`)
})

test('behavior: reserves and amounts that no transfer explains are doubted', () => {
  const lie = { reserve0: 2_000n * unit, reserve1: 1_980n * unit }
  expect(open().findDoubt(blockOf(...transfers, swap(lie, 1_000n * unit)))).toEqual({
    reason: `reserves disagree with the transfers at ${pool}`,
    disagreeing: [pool],
  })
})

test('behavior: bounds are configurable', () => {
  const event = sync({ ...before, reserve0: 200_000n * unit })
  expect(open({ jumpFactorMax: 1_000 }).findDoubt(blockOf(event))).toBeNull()
  expect(open({ amountBitsMax: 32 }).findDoubt(blockOf(sync(before)))).not.toBeNull()
})

test('behavior: unaccepted blocks are not compared with, and the oldest pools are evicted', () => {
  const plausibility = open({ poolsMax: 1 })
  const event = sync({ ...before, reserve0: 200_000n * unit })
  expect(plausibility.findDoubt(blockOf(event))).not.toBeNull()
  expect(plausibility.findDoubt(blockOf(event))).not.toBeNull()
  plausibility.accept(blockOf({ ...event, pool: '0xother' } as DecodedEvent))
  expect(plausibility.findDoubt(blockOf(event))).toBeNull()
})

test('behavior: after a revert, blocks are compared with the state before it', () => {
  const plausibility = open()
  const drained = { reserve0: 4_000n * unit, reserve1: 500n * unit, priceRaw: 0.125 }
  const orphan = blockOf(sync(drained))
  orphan.ref.hash = 'orphan'
  const next = blockOf(...transfers, swap(after))
  plausibility.accept(orphan)
  expect(plausibility.findDoubt(next)?.reason).toBe(`reserves disagree with the amounts at ${pool}`)
  plausibility.revert('orphan')
  expect(plausibility.findDoubt(next)).toBeNull()
  // The block is compared with the state before the reverted one, not with an empty state.
  const lie = blockOf(...transfers, swap({ ...after, reserve1: 5_000n * unit }))
  expect(plausibility.findDoubt(lie)).not.toBeNull()
})

test('behavior: reverts forget pools of orphaned blocks and states of earlier runs', () => {
  const fresh = createPlausibility(plausibilityLimitsDefault)
  fresh.accept(blockOf(sync(before)))
  fresh.revert('h')
  expect(fresh.findDoubt(blockOf(swap({ ...after, reserve1: 5_000n * unit })))).toBeNull()
  const seeded = createPlausibility(plausibilityLimitsDefault, { seeds: [{ pool, ...before }] })
  seeded.revert('of an earlier run')
  expect(seeded.findDoubt(blockOf(swap({ ...after, reserve1: 5_000n * unit })))).toBeNull()
})

test('behavior: the first block after a restart is compared with the state of the earlier run', () => {
  const seeds = [{ pool, ...before }]
  const plausibility = createPlausibility(plausibilityLimitsDefault, { seeds })
  expect(plausibility.findDoubt(blockOf(...transfers, swap(after)))).toBeNull()
  const jump = sync({ ...before, reserve0: 200_000n * unit })
  expect(plausibility.findDoubt(blockOf(jump))?.reason).toBe(`a reserve jumps at ${pool}`)
})

test('behavior: reserves and trades larger than the token supply are doubted', () => {
  const suppliesOf = () => [null, 2_500n * unit] as const
  const zero = '11111111111111111111111111111111'
  const facts = { suppliesOf, mintsFrom: zero }
  const plausibility = createPlausibility(plausibilityLimitsDefault, facts)
  const reserves = { reserve0: 9_000n * unit, reserve1: 2_500n * unit }
  expect(plausibility.findDoubt(blockOf(sync(reserves)))).toBeNull()
  const more = sync({ ...reserves, reserve1: 2_501n * unit })
  expect(plausibility.findDoubt(blockOf(more))).toEqual({
    reason: `an amount is more than there is of the token at ${pool}`,
    disagreeing: null,
  })
  // Tokens minted in the same block raise the supply.
  expect(plausibility.findDoubt(blockOf(move(tokenB, zero, router, unit), more))).toBeNull()
  const trade = { ...(swap(reserves) as object), amount1: -2_501n * unit } as DecodedEvent
  expect(plausibility.findDoubt(blockOf(trade))?.reason).toContain('more than there is')
})

test('behavior: a pool of a rebasing or fee token is tolerated after repeats, except for jumps', () => {
  // The pool received 10 % less than was sent, and reports so.
  const fee = swap({ ...after, reserve0: 1_100n * unit }, 200n * unit)
  const odd = blockOf(...transfers, fee)
  const plausibility = open()
  expect(plausibility.findDoubt(odd)?.disagreeing).toEqual([pool])
  for (let block = 1; block < 8; block += 1) plausibility.recordMismatch([pool], false)
  expect(plausibility.findDoubt(odd)).not.toBeNull()
  plausibility.recordMismatch([pool], false)
  expect(plausibility.findDoubt(odd)).toBeNull()
  const jump = sync({ ...before, reserve0: 200_000n * unit })
  expect(plausibility.findDoubt(blockOf(jump))?.reason).toContain('a reserve jumps')
  const proven = open()
  proven.recordMismatch([pool], true)
  expect(proven.findDoubt(odd)).toBeNull()
})

test('behavior: a curve may fill, sell out and graduate, but not jump', () => {
  const terms = { platform: 'p', token0: tokenA, token1: tokenB, venue: 'pumpFun' }
  const trade = (amount1: bigint, reserve1: bigint): DecodedEvent => ({
    type: 'swap',
    pool,
    ...origin,
    sender: router,
    to: router,
    curve: terms,
    amount0: -unit,
    amount1,
    reserve0: unit,
    reserve1,
    priceRaw: null,
  })
  const plausibility = createPlausibility(plausibilityLimitsDefault)
  plausibility.accept(blockOf(trade(10n ** 6n, 10n ** 6n)))
  const next = 50n * 10n ** 9n
  expect(plausibility.findDoubt(blockOf(trade(next, next + 10n ** 6n)))).toBeNull()
  expect(plausibility.findDoubt(blockOf(trade(10n ** 6n, next)))).toMatchObject({
    reason: `a reserve jumps at ${pool}`,
  })
  plausibility.accept(blockOf(trade(next, next + 10n ** 6n)))
  const graduation: DecodedEvent = { type: 'graduation', ...origin, curve: pool, pool: 'q', terms }
  const emptied = sync({ reserve0: 0n, reserve1: 0n })
  expect(plausibility.findDoubt(blockOf(emptied))).not.toBeNull()
  expect(plausibility.findDoubt(blockOf(graduation, emptied))).toBeNull()
})

test('behavior: the first deposit into an empty pool may have any size', () => {
  const plausibility = createPlausibility(plausibilityLimitsDefault)
  plausibility.accept(blockOf(sync({ reserve0: 0n, reserve1: 0n })))
  expect(plausibility.findDoubt(blockOf(sync(before)))).toBeNull()
})

test('behavior: a pool opened and filled in one transaction is plausible if balances precede its events', () => {
  const plausibility = createPlausibility(plausibilityLimitsDefault)
  const told = (token: string, amount: bigint): DecodedEvent => ({
    type: 'balance',
    index: 0,
    txHash: 'tx',
    token,
    owner: pool,
    amount,
  })
  const { reserve0, reserve1 } = before
  const balances = [told(tokenA, reserve0), told(tokenB, reserve1)]
  const added: DecodedEvent = {
    type: 'liquidity',
    kind: 'add',
    pool,
    ...origin,
    sender: router,
    amount0: reserve0,
    amount1: reserve1,
    ...before,
  }
  const opened = sync({ reserve0: 0n, reserve1: 0n })
  expect(plausibility.findDoubt(blockOf(...balances, opened, added))).toBeNull()
  expect(plausibility.findDoubt(blockOf(opened, added))?.disagreeing).toEqual([pool])
})
