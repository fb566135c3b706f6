import type { LaunchState } from '../../engine/marketReads.ts'
import { optionalTextInput } from '../inputs/inputs.ts'
import { choiceInput, exactRange, wordRanges } from './screenerInputs.ts'
import type { ScreenerKind } from './screenerKind.ts'
import { launchStates, tokenBoardSubject, tokenFilterColumns } from './tokenMeasures.ts'

type TokenValues = {
  launch: LaunchState['state'] | null
  platform: string | null
  venue: string | null
  honeypot: string | null
}

/** The screener of tokens: its filters are launch state, platform, venue and honeypot. */
export const tokenScreener: ScreenerKind = {
  subject: tokenBoardSubject,
  inputs: {
    launch: choiceInput('launch', 'Tokens of launch platforms in this state.', launchStates),
    platform: optionalTextInput({
      name: 'platform',
      description: 'Tokens of this launch platform.',
    }),
    venue: optionalTextInput({
      name: 'venue',
      description: 'Tokens whose main pair is of this venue, as `amm` of pairs names it.',
    }),
    honeypot: choiceInput(
      'honeypot',
      '0: without those that are known to be one; 1: these alone.',
      ['0', '1'],
    ),
  },
  filterRanges(values, words) {
    const { launch, platform, venue, honeypot } = values as TokenValues
    const named = wordRanges(words, [
      [tokenFilterColumns.platform, platform],
      [tokenFilterColumns.venue, venue],
    ])
    if (named === null) return null
    if (launch !== null)
      named.push(exactRange(tokenFilterColumns.launch, launchStates.indexOf(launch)))
    if (honeypot !== null) named.push(exactRange(tokenFilterColumns.isHoneypot, Number(honeypot)))
    return named
  },
  addressOf: ({ reads }, id) => reads.tokenRecord(id).address,
  findId: ({ reads }, address) => reads.findToken(address),
}
