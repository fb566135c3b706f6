import { chain, unknownMark, usdReason } from '../answers/shared.ts'
import {
  constant,
  count,
  decimal,
  digits,
  each,
  number,
  object,
  part,
  row,
  type TypeOf,
  text,
  timeS,
  type Unit,
} from '../describe.ts'

const pricesIn = (unit: Unit) =>
  ({
    close: decimal(unit, 'Last price; the current price in an open kline.'),
    high: decimal(unit, 'Highest price, including the close.'),
    low: decimal(unit, 'Lowest price, including the close.'),
    open: decimal(unit, 'First price; equals the close of the previous kline.'),
  }) as const

const traded = (unit: Unit) =>
  ({
    time: timeS('Start of the kline.'),
    volume: decimal(unit, 'Traded volume.'),
  }) as const

export const klineEth = row('KlineEth', 'A kline in the native coin.', {
  ...pricesIn('native'),
  ...traded('native'),
})
export type KlineEth = TypeOf<typeof klineEth>

/** The last 24 hours, in every kline of a pair. */
export const klineDay = {
  amount_24h: decimal('tokens', 'Amount of target tokens traded in 24 hours.'),
  change: decimal('percent', 'Price change since 00:00 UTC.'),
  change_v2: decimal('percent', 'Price change between the first and last trade in 24 hours.'),
  count_24h: digits('Number of swaps in 24 hours.'),
  high_24h: decimal('usd', 'Highest price in 24 hours, including the current price.'),
  low_24h: decimal('usd', 'Lowest price in 24 hours, including the current price.'),
  swap: constant('', 'Always empty.'),
  volume_24h: decimal('usd', 'Volume in 24 hours.'),
  usd_reason: usdReason,
} as const

/** Fields of a kline in USD before and after the last 24 hours. */
export const klineUsdStart = pricesIn('usd')
export const klineUsdEnd = traded('usd')

export const klineUsd = row('KlineUsd', 'A kline in USD, with the last 24 hours of the pair.', {
  ...klineUsdStart,
  ...klineDay,
  ...klineUsdEnd,
})
export type KlineUsd = TypeOf<typeof klineUsd>

export const klineUnits = part('A kline in both units.', {
  eth: object(klineEth),
  usd: object(klineUsd),
})

const pair = text('Address or id of the pool.')
const tag = text('Launch platform of the token; empty: none.')

/** The tokens of a pair in pushes. */
export const pushedTokens = each(['token0', 'token1'], {
  '*_address': text('Address of *.'),
  '*_decimal': count('Number of decimals of *.'),
  '*_symbol': text('Symbol of *; empty until the contract has answered.'),
})

export const mainPair = row('MainPair', 'The new main pair of a token.', {
  amm: text('Protocol of the pool.'),
  chain,
  ...each(['0', '1'], {
    'init_reserve*': number('tokens', 'First reserve of token*.'),
    'init_reserve*_known': unknownMark('init_reserve*'),
  }),
  pair,
  ...each(['0', '1'], {
    'reserve*': number('tokens', 'Reserve of token*.'),
    'reserve*_known': unknownMark('reserve*'),
  }),
  tag,
  target_token: text('The side that is not the quote.'),
  ...pushedTokens,
  tvl: number('usd', 'Value of the reserves.'),
  tvl_known: unknownMark('tvl'),
})
export type MainPair = TypeOf<typeof mainPair>

export const mainPairSwitch = row('MainPairSwitch', "A change of a token's main pair.", {
  chain,
  event: constant('switch_main_pair', 'Kind of event.'),
  id: text('`<old_main_pair>-<chain>`.'),
  new_main_pair: pair,
  new_main_pair_data: object(mainPair),
  old_main_pair: pair,
  tag,
  token: text('Address of the token.'),
})
export type MainPairSwitch = TypeOf<typeof mainPairSwitch>
