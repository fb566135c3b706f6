import {
  constant,
  flag,
  object,
  optional,
  part,
  row,
  type TypeOf,
  text,
  words,
} from '../describe.ts'
import { type ErrorCode, errorSpecs } from '../errors.ts'
import { chain } from './shared.ts'

export const servedChain = row('ServedChain', 'A chain that is served here.', {
  chain,
  chain_id: text(
    'Its id outside, for example `1`; empty where it is neither well known nor configured.',
  ),
  name: text('Its name outside.'),
  description: text('Its whole name, or empty.'),
  case_sensitive: flag('Whether addresses differ by case.'),
  only_native_coin: flag('Always false.'),
  rpc_url: text('Always empty: the nodes behind a service are nobody else’s.'),
  block_explorer_url: text('Always empty.'),
  main_token_symbol: text("Symbol of the chain's own coin."),
  main_token_address: text('Address of that coin as a token; empty until there is one.'),
})
export type ServedChain = TypeOf<typeof servedChain>

export const rankTopic = row('RankTopic', 'A topic that tokens are ranked by.', {
  id: text('What `topic` of /v2/ranks takes.'),
  name_en: text('Its name in English.'),
  name_zh: text('Its name in Chinese.'),
})
export type RankTopic = TypeOf<typeof rankTopic>

const codes = Object.keys(errorSpecs) as ErrorCode[]

/** Every error code, with its meaning. */
export const errorCode = words(
  codes,
  'Stable name of the error; docs/reference/errors.md lists them.',
)

export const failure = row('Error', 'The body of every failed request, whatever its status.', {
  status: constant(0, 'The request failed.'),
  msg: text('A sentence to act on; it may change.', { minLength: 1 }),
  data: constant(null, 'There is no answer.'),
  error: object(
    part('What failed.', {
      code: errorCode,
      param: optional(text('The input at fault; absent where it is not one input’s.')),
    }),
  ),
})
/** The body of every failed request. */
export type ErrorBody = TypeOf<typeof failure>
