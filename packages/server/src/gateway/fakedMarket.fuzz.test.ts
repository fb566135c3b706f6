// Answers about real tokens and pools must not change, whatever untrusted contracts report.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { playMarket, readHonestAnswers } from '../../../../test/support/fakedMarket.ts'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import { createServedMarket } from '../../../../test/support/servedMarket.ts'

async function answersOf(seed: number, hasFakes: boolean) {
  const market = createServedMarket()
  const played = playMarket(market.chain, { seed, hasFakes })
  return {
    answers: await readHonestAnswers(market, played),
    pairs: market.chain.engine.pairCount(),
  }
}

test('behavior: untrusted pools and lying tokens change no answer about trusted ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async (seed) => {
      const honest = await answersOf(seed, false)
      const faked = await answersOf(seed, true)
      expect(faked.pairs).toBeGreaterThan(honest.pairs)
      for (const [request, answer] of Object.entries(honest.answers))
        expect({ request, answer: faked.answers[request] }).toEqual({ request, answer })
    }),
    { numRuns: propertyRuns(3), endOnFailure: true },
  )
})
