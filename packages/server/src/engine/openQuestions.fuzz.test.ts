// Compares stored open questions with the records and rows of every token and pair.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../test/support/blockGenerator.ts'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import type { FinishedBlock } from '../model/finishedBlock.ts'
import type { LateFacts } from '../model/logEntry.ts'
import { createEngine, type Engine, restoreEngine } from './engine.ts'
import { type QuestionKind, questionKinds } from './openQuestions.ts'

/** Makes some pairs of a block concentrated and some discovered after their creation. */
function varied(block: FinishedBlock): FinishedBlock {
  const pairs = block.pairs.map((pair) => {
    const isConcentrated = pair.kind === 'constantProduct' && pair.id % 3 === 1
    const kind = isConcentrated ? ('concentrated' as const) : pair.kind
    return { ...pair, kind, createdAtS: pair.id % 2 === 0 ? pair.createdAtS : 0 }
  })
  return { ...block, pairs }
}

/** Late facts that answer every question about one token and one pair. */
function answersOf(engine: Engine, place: number): LateFacts {
  const { number, hash } = engine.head()!
  const pairId = place % engine.pairCount()
  const tokenId = place % engine.tokenCount()
  const supply = engine.tokenSupply(tokenId)
  return {
    ref: { number, hash },
    tokens: [],
    supplies: supply === null ? [] : [{ ...supply, isComplete: place % 2 === 0 }],
    creations: [{ pairId, createdAtS: 7 }],
    tokenCreations: [{ tokenId, createdAtS: 7 }],
    shares: [{ pairId, total: 7n }],
  }
}

function foundIn(engine: Engine): Record<QuestionKind, number[]> {
  const tokens = Array.from({ length: engine.tokenCount() }, (_, id) => id)
  const pairs = Array.from({ length: engine.pairCount() }, (_, id) => engine.pairState(id))
  const idsOf = (open: typeof pairs) => open.map(({ record }) => record.id)
  return {
    holders: tokens.filter((id) => engine.tokenSupply(id)?.isComplete === false),
    tokenCreation: tokens.filter((id) => {
      const { mainPairId, createdAtS, launch } = engine.tokenFacts(id)
      return mainPairId !== null && createdAtS === 0 && !launch?.createdAtS
    }),
    pairCreation: idsOf(pairs.filter(({ record }) => record.createdAtS === 0)),
    shares: idsOf(
      pairs.filter(({ record: { id, kind, isTrusted } }) => {
        return kind === 'constantProduct' && isTrusted && engine.pairShares(id) === null
      }),
    ),
    reserves: idsOf(
      pairs.filter(({ record, initReserve0, initReserve1 }) => {
        return record.kind === 'concentrated' && initReserve0 + initReserve1 === 0n
      }),
    ),
  }
}

const keptBy = (engine: Engine) =>
  Object.fromEntries(questionKinds.map((kind) => [kind, [...engine.openQuestions(kind)]]))

const steps = fc.array(
  fc.oneof(
    { arbitrary: fc.constant('commit' as const), weight: 4 },
    { arbitrary: fc.nat({ max: 999 }), weight: 3 },
    { arbitrary: fc.constant('revert' as const), weight: 2 },
  ),
  { maxLength: 40 },
)

test('behavior: open questions follow from the market after every block, answer, revert and restart', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), steps, (seed, all) => {
      const generator = new BlockGenerator({ seed })
      const options = { profile: generatorProfile }
      const engine = createEngine(options)
      const commit = () => engine.apply({ type: 'commit', block: varied(generator.next()) })
      commit()
      let depth = 0
      for (const step of all) {
        if (typeof step === 'number') engine.apply({ type: 'late', facts: answersOf(engine, step) })
        else if (step === 'revert' && depth > 0) {
          engine.apply({ type: 'revert', ref: generator.revert() })
          depth -= 1
        } else {
          commit()
          depth += 1
        }
        expect(keptBy(engine)).toEqual(foundIn(engine))
      }
      const { number, hash } = engine.head()!
      engine.apply({ type: 'finalize', ref: { number, hash } })
      expect(keptBy(restoreEngine(options, engine.snapshot()))).toEqual(foundIn(engine))
    }),
    { numRuns: propertyRuns(60) },
  )
})
