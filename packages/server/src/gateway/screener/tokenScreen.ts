import type { LaunchState } from '../../engine/marketReads.ts'
import { optionalText } from '../operation/inputs.ts'
import type { Screen } from './screen.ts'
import { choice, exactly, wordRanges } from './screenerInputs.ts'
import { codeColumns, launchStates, tokenSubject } from './tokenMeasures.ts'

type TokenValues = {
  launch: LaunchState['state'] | null
  platform: string | null
  venue: string | null
  honeypot: string | null
}

/** The screener of tokens: its filters are launch state, platform, venue and honeypot. */
export const tokenScreen: Screen = {
  subject: tokenSubject,
  inputs: {
    launch: choice('launch', 'Tokens of launch platforms in this state.', launchStates),
    platform: optionalText({ name: 'platform', description: 'Tokens of this launch platform.' }),
    venue: optionalText({
      name: 'venue',
      description: 'Tokens whose main pair is of this venue, as `amm` of pairs names it.',
    }),
    honeypot: choice('honeypot', '0: without those that are known to be one; 1: these alone.', [
      '0',
      '1',
    ]),
  },
  codesOf(values, words) {
    const { launch, platform, venue, honeypot } = values as TokenValues
    const named = wordRanges(words, [
      [codeColumns.platform, platform],
      [codeColumns.venue, venue],
    ])
    if (named === null) return null
    if (launch !== null) named.push(exactly(codeColumns.launch, launchStates.indexOf(launch)))
    if (honeypot !== null) named.push(exactly(codeColumns.isHoneypot, Number(honeypot)))
    return named
  },
  addressOf: ({ reads }, id) => reads.tokenRecord(id).address,
  findId: ({ reads }, address) => reads.findToken(address),
}
