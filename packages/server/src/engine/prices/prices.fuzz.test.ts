// Computes prices and values again from reserves as ratios of bigints with 40 digits after the
// point, and compares 15 significant digits. Pools trade against a stablecoin or the native token.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createEngine } from '../engine.ts'

const scale = 10n ** 60n

/** Equal to 15 significant digits. */
function expectNear(actual: number | null, expected: bigint): void {
  const exact = Number(expected.toString()) / 1e60
  expect(actual).not.toBeNull()
  expect(Math.abs(actual! - exact)).toBeLessThanOrEqual(Math.abs(exact) * 2e-15)
}

type Pool = { id: number; token0Id: number; token1Id: number; reserve0: bigint; reserve1: bigint }

test('behavior: prices equal ratios of bigints', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const generator = new BlockGenerator({ seed })
      const engine = createEngine({ profile: generatorProfile })
      const pools: Pool[] = []
      const decimals: number[] = []
      const trusted: boolean[] = []
      let nativeUsd = 0n
      let factUsd = 0n
      for (let left = 30; left > 0; left -= 1) {
        const block = generator.next()
        for (const token of block.tokens) decimals.push(token.decimals)
        for (const { id, token0Id, token1Id, isTrusted } of block.pairs) {
          pools.push({ id, token0Id, token1Id, reserve0: 0n, reserve1: 0n })
          trusted.push(isTrusted)
        }
        const events = engine.apply({ type: 'commit', block })
        for (const event of events) {
          if (event.type !== 'swap') continue
          const { swap, quote } = event
          const pool = pools[swap.pairId]!
          Object.assign(pool, { reserve0: swap.reserve0, reserve1: swap.reserve1 })
          const rate = (tokenId: number) => (tokenId === 0 ? nativeUsd : scale)
          // Tokens 1 and 2 are stablecoins, token 0 is native. Rates are those of the previous
          // block.
          if (pool.token1Id <= 2 && pool.token0Id > 3 && rate(pool.token1Id) > 0n) {
            const price = per(pool, decimals) * rate(pool.token1Id)
            expectNear(quote.price0Usd, price / scale)
            const amount = swap.amount1 < 0n ? -swap.amount1 : swap.amount1
            const usdE8 =
              (amount * rate(pool.token1Id) * 10n ** 8n) / 10n ** BigInt(decimals[pool.token1Id]!)
            const exact = Number((usdE8 / (scale / 10n ** 6n)).toString()) / 1e6
            const worth = trusted[pool.id] ? exact : 0
            expect(Math.abs(event.amountUsdE8 - worth)).toBeLessThanOrEqual(0.51 + exact * 4e-15)
            expect(event.isBuy).toBe(swap.amount0 < 0n)
          }
        }
        // The creation event of a pool does not report its state.
        for (const event of block.events)
          if ('reserve0' in event && !('kind' in event && event.kind === 'create'))
            Object.assign(pools[event.pairId]!, {
              reserve0: event.reserve0,
              reserve1: event.reserve1,
            })
        if (block.nativeUsd !== null) factUsd = BigInt(block.nativeUsd.usd) * scale
        nativeUsd = nativeFromPools(pools, decimals, trusted) || factUsd
        if (nativeUsd === 0n) expect(engine.nativeUsd()).toBeNull()
        else expectNear(engine.nativeUsd(), nativeUsd)
      }
    }),
    { numRuns: propertyRuns(80) },
  )
})

/** Price as whole token 1 per whole token 0. */
function per(pool: Pool, decimals: readonly number[]): bigint {
  const unit0 = 10n ** BigInt(decimals[pool.token0Id]!)
  const unit1 = 10n ** BigInt(decimals[pool.token1Id]!)
  return (scale * pool.reserve1 * unit0) / (pool.reserve0 * unit1)
}

function nativeFromPools(
  pools: readonly Pool[],
  decimals: readonly number[],
  trusted: readonly boolean[],
): bigint {
  let weighted = 0n
  let total = 0n
  for (const pool of pools) {
    const ids = [pool.token0Id, pool.token1Id]
    if (pool.reserve0 === 0n || !trusted[pool.id]) continue
    if (!ids.includes(0) || !ids.some((id) => id === 1 || id === 2)) continue
    const is0 = pool.token0Id === 0
    const stable = is0 ? pool.reserve1 : pool.reserve0
    const price = is0 ? per(pool, decimals) : (scale * scale) / per(pool, decimals)
    // At its own price a constant-product pool holds the same value on both sides.
    const value =
      (2n * stable * scale) / 10n ** BigInt(decimals[is0 ? pool.token1Id : pool.token0Id]!)
    if (value < BigInt(generatorProfile.nativePoolUsdMin) * scale) continue
    weighted += (price * value) / scale
    total += value
  }
  return total === 0n ? 0n : (weighted * scale) / total
}
