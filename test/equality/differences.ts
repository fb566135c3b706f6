import type { IntendedDifference } from './compare.ts'

const newSort = /\/v2\/screener.*sort=(score|organic_24h)$/
/** New requests, 20 CU each. */
const newSortCredits = 120

/** Answers that differ from those of the reference, and are meant to. Empty again when the reference moves. */
export const intendedDifferences: readonly IntendedDifference[] = [
  {
    what: 'The screener orders by score and organic_24h',
    since: '19 Nov 2026',
    why: 'Trending and ranks are queries of its board, which has these columns for them.',
    applies: ({ name }) => newSort.test(name) || name === 'GET /v2/usage?',
    now: (line) => ({
      ...line,
      value: `${line.value}`.replace(
        /"used":(\d+)/,
        (_, used: string) => `"used":${Number(used) + newSortCredits}`,
      ),
    }),
  },
  {
    what: 'Tokens of a launch platform with the same liquidity come oldest first',
    since: '19 Nov 2026',
    why: 'The board has one rule for equal rows: the token that was known first comes first.',
    applies: ({ name }) => /\/platform\?tag=launchpad_in_new.*orderby=main_pair_tvl$/.test(name),
    // Which of two equal tokens is on a page of three is another question than that of the reference.
    now: () => null,
  },
]
