import { constant, decimal, optional, text, timeS, words } from '../describe.ts'

/** Fields shared by many rows. */

export const chain = text('Name of the chain, as in /v2/supported_chains.')

/** The rolling windows of rows, shortest first; each ends now. */
export const windowNames = ['1m', '5m', '15m', '1h', '4h', '24h'] as const

const usdReasons = ['untrusted_pool', 'unpriced', 'implausible'] as const
/** Reasons why claimed USD values are shown as 0. */
export type UsdReason = (typeof usdReasons)[number]

export const usdReason = optional(
  words(
    usdReasons,
    'Why USD values are 0: `untrusted_pool` (no configured factory confirms the pool), `unpriced` ' +
      '(no trusted pool prices the token), `implausible` (larger than any plausible amount). Absent if the values count.',
  ),
)

/** The mark beside a field that is 0 because it is unknown. */
export const unknownMark = (name: string) =>
  optional(constant(false, `\`${name}\` is 0 because it is unknown; absent if it is known.`))

/** The mark beside a `tvl` that sums several pools. */
export const partMark = optional(
  constant(
    false,
    '`tvl` leaves out at least one pool whose reserves are unknown. Absent if all are known.',
  ),
)

/** Marks of figures that follow from the supply. */
export const unknownCaps = {
  market_cap_known: unknownMark('market_cap'),
  fdv_known: unknownMark('fdv'),
} as const

export const marketCap = decimal(
  'usd',
  'Price times the circulating supply: without burnt, locked and otherwise excluded tokens.',
)

export const fdv = decimal(
  'usd',
  'Price times the supply without burnt tokens and those the configuration excludes.',
)

/** RFC 3339; the year 1 means never. */
export const timeText = (meaning: string) =>
  text(`${meaning} RFC 3339; \`0001-01-01T00:00:00Z\`: never.`, { format: 'date-time' })

/** Start of the kept history. */
export const since = timeS('Start of the stored swaps; 0: none stored.')
