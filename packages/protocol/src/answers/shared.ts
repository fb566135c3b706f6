import { constant, decimal, optional, text, timeS, words } from '../describe.ts'

/** Fields shared by many rows. */

export const chain = text('Chain, as /v2/supported_chains names it.')

/** The rolling windows of rows, shortest first; each ends now. */
export const windowNames = ['1m', '5m', '15m', '1h', '4h', '24h'] as const

const usdReasons = ['untrusted_pool', 'unpriced', 'implausible'] as const
/** Reasons why claimed USD values are shown as 0. */
export type UsdReason = (typeof usdReasons)[number]

export const usdReason = optional(
  words(
    usdReasons,
    'Why values in USD are 0 here: `untrusted_pool` (no known factory confirms the pool that claims them), `unpriced` ' +
      '(no trusted pool prices the token), `implausible` (more than anybody can own). Absent where they count.',
  ),
)

/** The mark beside a field that is 0 because it is unknown. */
export const unknownMark = (name: string) =>
  optional(constant(false, `\`${name}\` is 0 because it is unknown; absent where it is known.`))

/** The mark beside a `tvl` that sums several pools. */
export const partMark = optional(
  constant(
    false,
    'At least one pool is left out of `tvl`: its reserves are unknown. Absent where all are known.',
  ),
)

/** Marks of figures that follow from the supply. */
export const unknownCaps = {
  market_cap_known: unknownMark('market_cap'),
  fdv_known: unknownMark('fdv'),
} as const

export const marketCap = decimal(
  'usd',
  'Price times the supply that is neither burnt, locked nor otherwise out of circulation.',
)

export const fdv = decimal(
  'usd',
  'Price times the supply that is neither burnt nor out of circulation by the configuration.',
)

/** RFC 3339; the year 1 means never. */
export const timeText = (meaning: string) =>
  text(`${meaning} RFC 3339; \`0001-01-01T00:00:00Z\`: never.`, { format: 'date-time' })

/** Start of the kept history. */
export const since = timeS('Where the swaps begin that are kept; 0: there is none.')
