import { expect, test } from 'vitest'
import {
  blockOf,
  fakeReader,
  logger,
  pair,
  profile,
  tokenOf,
} from '../../../../test/support/ledgerFixture.ts'
import type { PairRecord } from '../model/pair.ts'
import type { ResolvedEvent } from '../model/resolvedBlock.ts'
import type { VenueMath } from '../model/venueMath.ts'
import { createLedger } from './ledger.ts'
import { decodeUndo, encodeUndo } from './undo.ts'

/**
 * A venue whose liquidity events carry no amounts, only units to be valued at the last reported
 * price.
 */
const math: VenueMath = {
  priceAfter: ({ told: [price], timeS }) =>
    price === undefined ? null : Number(price) + timeS / 100,
  amountsOf: ([, units], { told: [price], params: [scale] }) =>
    price === undefined ? null : { amount0: units! * scale!, amount1: units! * scale! * price },
}
const kept: PairRecord = { ...pair, kind: 'vault', venue: 'priced', params: [10n] }
const origin = (index: number) => ({ index, txHash: `tx${index}`, wallet: '0xa' })
const state = { reserve0: null, reserve1: null, priceRaw: null }

const sync = (index: number, price: bigint): ResolvedEvent => ({
  type: 'sync',
  ...origin(index),
  ...state,
  told: [price],
  pair: kept,
})
const add = (index: number, price: bigint, units: bigint): ResolvedEvent => ({
  type: 'liquidity',
  kind: 'add',
  ...origin(index),
  sender: '0xa',
  amount0: 0n,
  amount1: 0n,
  ...state,
  told: [price, units],
  pair: kept,
})

function open() {
  return createLedger({ profile, balances: fakeReader(), logger, math: () => math })
}

const made = { tokens: [tokenOf(0), tokenOf(1)], pairs: [kept] }

test('default: amounts of an event follow from its numbers and the last reported ones', async () => {
  const { block, changes } = await open().apply(
    blockOf(1, { ...made, events: [sync(0, 3n), add(1, 4n, 7n)] }),
  )
  expect(block.events).toMatchObject([
    { type: 'sync', reserve0: 0n, reserve1: 0n, priceRaw: 3.01 },
    { amount0: 70n, amount1: 210n, reserve0: 70n, reserve1: 210n, priceRaw: 4.01 },
  ])
  // The balances are those of the pool's own account in the vault, which no transfer reaches.
  expect(changes).toMatchObject([
    { tokenId: 0, wallet: 'pool:0xpool', after: 70n },
    { tokenId: 1, wallet: 'pool:0xpool', after: 210n },
  ])
  expect(block.supplies.map(({ holders }) => holders)).toEqual([0, 0])
})

test('behavior: without earlier numbers no amounts are known', async () => {
  const { block } = await open().apply(blockOf(1, { ...made, events: [add(0, 4n, 7n)] }))
  expect(block.events).toMatchObject([{ amount0: 0n, amount1: 0n, reserve0: 0n, priceRaw: 4.01 }])
})

test('behavior: a revert restores the numbers of the block before, also in another process', async () => {
  const ledger = open()
  const first = blockOf(1, { ...made, events: [sync(0, 3n)] })
  await ledger.apply(first)
  const { undo } = await ledger.apply(blockOf(2, { events: [sync(0, 9n)] }))
  ledger.revert(blockOf(2, {}).ref, decodeUndo(encodeUndo(undo)))
  const { block } = await ledger.apply(blockOf(2, { events: [add(0, 4n, 1n)] }))
  expect(block.events).toMatchObject([{ amount0: 10n, amount1: 30n }])
})

test('behavior: unclaimed fees of liquidity providers are not part of the reserves', async () => {
  const swap = (index: number, told: readonly bigint[] | undefined): ResolvedEvent => ({
    type: 'swap',
    ...origin(index),
    sender: '0xa',
    to: '0xa',
    amount0: 100n,
    amount1: -40n,
    ...state,
    told,
    pair: kept,
  })
  const half: VenueMath = {
    reserveAmountsOf: ({ amount0, amount1 }, [divisor]) => ({
      amount0: amount0 / divisor!,
      amount1,
    }),
  }
  const open = () => createLedger({ profile, balances: fakeReader(), logger, math: () => half })
  const ledger = open()
  const given = { ...add(0, 1n, 0n), amount0: 1_000n, amount1: 1_000n, told: [1n] } as ResolvedEvent
  const { block, undo } = await ledger.apply(
    blockOf(1, { ...made, events: [given, swap(1, [2n]), swap(2, undefined)] }),
  )
  expect(block.events).toMatchObject([
    { reserve0: 1_000n, reserve1: 1_000n },
    { amount0: 100n, reserve0: 1_050n, reserve1: 960n },
    { amount0: 100n, reserve0: 1_150n, reserve1: 920n },
  ])
  ledger.revert(block.ref, decodeUndo(encodeUndo(undo)))
})
