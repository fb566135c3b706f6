// 1. An engine that walks at most two pairs of a side applies random blocks, late facts and
// reverts, and is read in between.
// 2. TVL and the deepest pairs of every token are computed again from the TVL of each of its pairs.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createEngine, type Engine, restoreEngine } from '../engine.ts'

const lead = { mainPairLeadS: 0, mainPairLeadBlocksMin: 3 }
const options = { profile: generatorProfile, tokenPairsReadMax: 2, ...lead }
const shownMax = 3

test('behavior: the deepest pairs and TVL consider all pairs, through reverts', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(fc.nat({ max: 9 }), { minLength: 5, maxLength: 60 }),
      fc.nat({ max: 3 }),
      (seed, moves, readEvery) => {
        const generator = new BlockGenerator({ seed, standInShare: 0.2 })
        const engine = createEngine(options)
        engine.apply({ type: 'commit', block: generator.next() })
        let height = 1
        for (const [step, move] of moves.entries()) {
          if (readEvery > 0 && step % readEvery === 0) compareAll(engine)
          const facts = move === 9 ? generator.late() : null
          if (facts) engine.apply({ type: 'late', facts })
          else if (move > 6 && height > 1) {
            engine.apply({ type: 'revert', ref: generator.revert() })
            height -= 1
          } else {
            engine.apply({ type: 'commit', block: generator.next() })
            height += 1
          }
        }
        compareAll(engine)
        engine.apply({ type: 'finalize', ref: engine.head()! })
        const restored = restoreEngine(options, engine.snapshot())
        compareAll(restored)
        for (let tokenId = 0; tokenId < engine.tokenCount(); tokenId += 1) {
          expect(restored.tokenPairs(tokenId, shownMax)).toEqual(
            engine.tokenPairs(tokenId, shownMax),
          )
          expect(restored.tokenTvl(tokenId)).toEqual(engine.tokenTvl(tokenId))
        }
      },
    ),
    { numRuns: propertyRuns(60) },
  )
})

function compareAll(engine: Engine): void {
  for (let tokenId = 0; tokenId < engine.tokenCount(); tokenId += 1) compare(engine, tokenId)
}

function compare(engine: Engine, tokenId: number): void {
  const { tokenPairsReadMax } = options
  const all = Array.from({ length: engine.pairCount() }, (_, id) => engine.pairRecord(id)).filter(
    ({ token0Id, token1Id }) => token0Id === tokenId || token1Id === tokenId,
  )
  const targeted = all.filter(({ id }) => engine.targetTokenOf(id) === tokenId)
  const isQuote = (id: number) => generatorProfile.quotes.includes(engine.tokenRecord(id).address)
  // Of pairs without a quote asset only the oldest count.
  const strange = targeted.filter((pair) => !isQuote(pair.token0Id) && !isQuote(pair.token1Id))
  const isLeftOut = targeted.length > tokenPairsReadMax ? strange.slice(tokenPairsReadMax) : []
  const tvlOf = (id: number) => engine.pairTvlUsd(id)
  const counted = all.filter((pair) => !isLeftOut.includes(pair)).map(({ id }) => tvlOf(id))
  const sumUsd = counted.reduce((sum, usd) => sum + usd, 0)
  const { usd, isKnown } = engine.tokenTvl(tokenId)
  expect(near(usd, sumUsd)).toBe(true)
  expect(isKnown).toBe(all.every(({ id }) => engine.isPairTvlKnown(id)))
  const found = engine.tokenPairs(tokenId, shownMax)
  expect(new Set(found).size).toBe(Math.min(all.length, shownMax))
  const main = engine.mainPairOf(tokenId)
  if (main !== null) expect(found[0]).toBe(main)
  const others = found.filter((id) => id !== main)
  expect(others.every((id) => all.some((pair) => pair.id === id))).toBe(true)
  const largest = counted.slice().sort((a, b) => b - a)
  if (main !== null) largest.splice(largest.indexOf(tvlOf(main)), 1)
  others.forEach((id, at) => {
    expect(near(tvlOf(id), largest[at] ?? tvlOf(id))).toBe(true)
  })
}

/** Equal except for rounding: the doubles are summed in another order. */
function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))
}
