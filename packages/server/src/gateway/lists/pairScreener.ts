import { optionalTextInput } from '../inputs/inputs.ts'
import { pairBoardSubject, pairFilterColumns } from './pairMeasures.ts'
import { choiceInput, exactRange, wordRanges } from './screenerInputs.ts'
import type { ScreenerKind } from './screenerKind.ts'

type PairValues = { venue: string | null; trusted: string | null }

/** The screener of pairs: its filters are venue and trust. */
export const pairScreener: ScreenerKind = {
  subject: pairBoardSubject,
  inputs: {
    venue: optionalTextInput({
      name: 'venue',
      description: 'Pairs of this venue, as `amm` names it.',
    }),
    trusted: choiceInput('trusted', '1: pairs that a known factory confirms; 0: the others.', [
      '0',
      '1',
    ]),
  },
  filterRanges(values, words) {
    const { venue, trusted } = values as PairValues
    const named = wordRanges(words, [[pairFilterColumns.venue, venue]])
    if (named !== null && trusted !== null)
      named.push(exactRange(pairFilterColumns.isTrusted, Number(trusted)))
    return named
  },
  addressOf: ({ reads }, id) => reads.pairRecord(id).address,
  findId: ({ reads }, address) => reads.findPair(address),
}
