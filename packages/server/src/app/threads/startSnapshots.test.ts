import { expect, test } from 'vitest'
import { generatorProfile as profile } from '../../../../../test/support/blockGenerator.ts'
import { snapshotOrder } from './startSnapshots.ts'

const chains = [1, 2].map((chainId) => ({ chainId, profile }))

test('default: all chains are ordered', () => {
  expect(snapshotOrder(chains, new Map(), 5)).toEqual({
    type: 'take',
    chains: chains.map((chain) => ({ ...chain, isResting: false })),
  })
})

test('behavior: one that rests is named all the same, so that what is known of it is kept', () => {
  const isRestingAt = (nowMs: number) =>
    snapshotOrder(chains, new Map([[2, 100]]), nowMs)?.chains.map(({ isResting }) => isResting)
  expect(isRestingAt(99)).toEqual([false, true])
  expect(isRestingAt(100)).toEqual([false, false])
})

test('edge: there is nothing to do where all rest, or where there is none', () => {
  const rests = new Map([
    [1, 100],
    [2, 100],
  ])
  expect(snapshotOrder(chains, rests, 99)).toBeNull()
  expect(snapshotOrder([], rests, 99)).toBeNull()
})
