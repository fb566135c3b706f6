// Computes the age of each price again from the blocks: the time of each pair's last event, the
// pools that set the native price, and the pairs that the engine reports as the price's route.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createEngine } from '../engine.ts'

test('behavior: every price is as old as the oldest step of its route', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const generator = new BlockGenerator({ seed, eventsMax: 3, stepSMax: 600 })
      const engine = createEngine({ profile: generatorProfile })
      const heardAtS: number[] = []
      let factAtS: number | null = null
      for (let left = 40; left > 0; left -= 1) {
        const block = generator.next()
        engine.apply({ type: 'commit', block })
        for (const event of block.events)
          if ('reserve0' in event && !('kind' in event && event.kind === 'create'))
            heardAtS[event.pairId] = block.ref.timeS
        factAtS = block.nativeUsd?.atS ?? factAtS
        const headS = block.ref.timeS
        for (let tokenId = 0; tokenId < engine.tokenCount(); tokenId += 1) {
          const { price } = engine.tokenState(tokenId)
          if (price === null) continue
          const isNativePool = (pairId: number) => {
            const { token0Id, token1Id } = engine.pairRecord(pairId)
            return [token0Id, token1Id].includes(0) && Math.max(token0Id, token1Id) <= 2
          }
          const steps = price.routePairIds.filter((id) => !isNativePool(id))
          const native = price.routePairIds.filter(isNativePool)
          const ages = steps.map((id) => heardAtS[id]!)
          if (native.length > 0) ages.push(Math.max(...native.map((id) => heardAtS[id]!)))
          // Without a native pool the price comes from another chain.
          else if (factAtS !== null && endsInNative(engine, tokenId, steps)) ages.push(factAtS)
          expect(price.atS).toBe(Math.min(headS, ...ages))
        }
      }
    }),
    { numRuns: propertyRuns(60) },
  )
})

/**
 * True if the last pair of the route is quoted in the native token, or the token is the native
 * token.
 */
function endsInNative(
  engine: ReturnType<typeof createEngine>,
  tokenId: number,
  steps: readonly number[],
): boolean {
  const last = steps.at(-1)
  if (last === undefined) return tokenId === 0
  const { token0Id, token1Id } = engine.pairRecord(last)
  return (token0Id === 0 || token1Id === 0) && engine.targetTokenOf(last) !== 0
}
