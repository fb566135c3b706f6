import { optionalText } from '../operation/inputs.ts'
import { pairCodes, pairSubject } from './pairMeasures.ts'
import type { Screen } from './screen.ts'
import { choice, exactly, wordRanges } from './screenerInputs.ts'

type PairValues = { venue: string | null; trusted: string | null }

/** The screener of pairs: its filters are venue and trust. */
export const pairScreen: Screen = {
  subject: pairSubject,
  inputs: {
    venue: optionalText({ name: 'venue', description: 'Pairs of this venue, as `amm` names it.' }),
    trusted: choice('trusted', '1: pairs that a known factory confirms; 0: the others.', [
      '0',
      '1',
    ]),
  },
  codesOf(values, words) {
    const { venue, trusted } = values as PairValues
    const named = wordRanges(words, [[pairCodes.venue, venue]])
    if (named !== null && trusted !== null)
      named.push(exactly(pairCodes.isTrusted, Number(trusted)))
    return named
  },
  addressOf: ({ reads }, id) => reads.pairRecord(id).address,
  findId: ({ reads }, address) => reads.findPair(address),
}
