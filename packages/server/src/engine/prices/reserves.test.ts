import { expect, test } from 'vitest'
import { createChain, genesis, profile, swap } from '../../../../../test/support/marketChain.ts'
import type { FinishedSwap } from '../../model/finishedBlock.ts'
import { restoreEngine } from '../engine.ts'

const swapTo = (reserve0: bigint, reserve1: bigint) =>
  ({ ...swap(1, [-1, 1], [1, 1]), reserve0, reserve1 }) as FinishedSwap

const sizes = [0n, 1n, 2n ** 52n, 2n ** 112n - 1n, 2n ** 128n, 2n ** 156n + 5n, 2n ** 256n - 1n]

test('behavior: reserves of any size are exact, and a revert restores the earlier ones', () => {
  const { engine, commit, revert } = createChain()
  commit(genesis)
  const reserves = () => {
    const { reserve0, reserve1 } = engine.pairState(1)
    return [reserve0, reserve1]
  }
  const before = reserves()
  for (const reserve0 of sizes)
    for (const reserve1 of sizes) {
      commit({ events: [swapTo(reserve0, reserve1)] })
      expect(reserves()).toEqual([reserve0, reserve1])
      revert()
      expect(reserves()).toEqual(before)
    }
})

test('behavior: a reserve above 156 bits shrinks and grows again, also across a snapshot', () => {
  const { engine, commit } = createChain()
  commit(genesis)
  const wide = 2n ** 255n + 3n
  for (const reserve0 of [wide, 7n, wide, 2n ** 130n]) {
    commit({ events: [swapTo(reserve0, 9n)] })
    expect(engine.pairState(1)).toMatchObject({ reserve0, reserve1: 9n, initReserve0: 2_000n })
    engine.apply({ type: 'finalize', ref: engine.head()! })
    const restored = restoreEngine({ profile }, engine.snapshot())
    expect(restored.pairState(1)).toEqual(engine.pairState(1))
  }
})
