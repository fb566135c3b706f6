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

export const servedChain = row('ServedChain', 'A served chain.', {
  chain,
  chain_id: text(
    'Public id of the chain, for example `1`; empty if it is neither well known nor configured.',
  ),
  name: text('Public name of the chain.'),
  description: text('Full name; empty: none.'),
  case_sensitive: flag('Whether addresses are case-sensitive.'),
  only_native_coin: flag('Always false.'),
  rpc_url: text('Always empty: a service does not reveal its nodes.'),
  block_explorer_url: text('Always empty.'),
  main_token_symbol: text('Symbol of the native coin.'),
  main_token_address: text('Token address of the native coin; empty: none yet.'),
})
export type ServedChain = TypeOf<typeof servedChain>

export const rankTopic = row('RankTopic', 'A topic for ranking tokens.', {
  id: text('Value for `topic` of /v2/ranks.'),
  name_en: text('Name in English.'),
  name_zh: text('Name in Chinese.'),
})
export type RankTopic = TypeOf<typeof rankTopic>

const codes = Object.keys(errorSpecs) as ErrorCode[]

/** Every error code, with its meaning. */
export const errorCode = words(
  codes,
  'Stable code of the error; docs/reference/errors.md lists all.',
)

export const failure = row('Error', 'The body of every failed request, for any status.', {
  status: constant(0, 'The request failed.'),
  msg: text('A sentence for people; it may change.', { minLength: 1 }),
  data: constant(null, 'A failed request has no data.'),
  error: object(
    part('Details of the error.', {
      code: errorCode,
      param: optional(text('The input that caused the error; absent if it is not a single input.')),
    }),
  ),
})
/** The body of every failed request. */
export type ErrorBody = TypeOf<typeof failure>
