import { intervals } from '@chaintape/protocol'
import type { JsonSchema } from '@chaintape/protocol/descriptions'

/** Rows of an answer unless the caller asks for more: a model reads every one of them. */
export const rowsDefault = 10
/** The value of `fields` that selects every member. */
export const allFields = 'all'

/** Arguments that go by one name in every tool, by the input's name on the wire. */
const renamed: Readonly<Record<string, string>> = {
  'token-id': 'token_id',
  'pair-id': 'pair_id',
  account_address: 'wallet_address',
  orderby: 'sort',
  sort_by: 'sort',
  sort_dir: 'order',
  page_size: 'limit',
  pageSize: 'limit',
  pageNO: 'page',
  current_page: 'page',
  start_from: 'from_time',
  end_at: 'to_time',
}

function numbers(description: string): JsonSchema {
  return { type: 'object', additionalProperties: { type: 'number' }, description }
}

/** Descriptions of the arguments: a line for every input of an operation. */
export const argumentSchemas: Readonly<Record<string, JsonSchema>> = {
  token_id: { description: '`<token address>-<chain>`, as search returns it.' },
  token_ids: { description: 'Several token ids.', items: { type: 'string' } },
  pair_id: {
    description: '`<pair address>-<chain>`: main_pair of a token, or from a row of pairs.',
  },
  chain: { description: 'Name of a served chain (status lists them).' },
  keyword: { description: 'Symbol, name or address, or a part of one.' },
  wallet_address: { description: 'Account that signed the transactions.' },
  token_address: { description: 'Address of a token on that chain.' },
  tx_hash: { description: 'Only swaps of this transaction.' },
  tag: {
    description:
      '`meme`, `hot`, `new`, or for one platform `<platform>_in_hot`, `_in_new`, `_in_almost`, `_out_hot`, `_out_new`.',
  },
  topic: { description: 'A topic listed by what=topics.' },
  limit: { description: 'Maximum number of rows.', default: rowsDefault },
  page: { description: 'Page number: trending counts from 0, others from 1.' },
  offset: { description: 'Rows to skip.' },
  cursor: {
    description:
      '`next` or `next_cursor` of the previous page; keep the other arguments unchanged.',
  },
  last_time: { description: 'Time of the last row of the previous page.' },
  last_id: { description: 'Id of the last row of the previous page.' },
  sort: { description: 'Order of the rows.' },
  order: { description: 'Direction.' },
  time: { description: 'Unix seconds.' },
  from_time: { description: 'First second, unix time.' },
  to_time: { description: 'Last second, unix time. Default: now.' },
  interval: { type: 'string', enum: Object.keys(intervals), description: 's1, or minutes.' },
  category: { description: 'Unit of prices: u USD, m native coin, r quote token.', default: 'u' },
  fill: { type: 'boolean', description: 'Include buckets without trades.' },
  type: { description: 'Kind of liquidity change.' },
  launch: { description: 'State on a launch platform.' },
  platform: { description: 'Launch platform.' },
  venue: { description: 'DEX of the main pair, or of the pair; `amm` of pairs.' },
  honeypot: { description: '0: exclude known honeypots; 1: only known honeypots.' },
  trusted: { description: '1: pairs confirmed by a configured factory; 0: other pairs.' },
  hide_sold: { type: 'boolean', description: 'Only tokens still held.' },
  hide_small: { description: 'Minimum USD value of a balance.' },
  blue_chips: { type: 'boolean', description: 'Only quote tokens of the chain.' },
  min: numbers('Minimum values, by name.'),
  max: numbers('Maximum values, by the same names.'),
  fields: { description: `Members to keep, separated by commas; \`${allFields}\`: all members.` },
}

/** Where an input goes: an argument, or a name inside the arguments `min` and `max`. */
export type Place = { argument: string; bound?: string }

export function placeOf(input: string, schema: JsonSchema): Place {
  const [, first, name] = /^(min|max)_(.+)$/.exec(input) ?? []
  if (first !== undefined) return { argument: first, bound: name! }
  const [, bound, last] = /^(.+)_(min|max)$/.exec(input) ?? []
  if (last !== undefined) return { argument: last, bound: bound! }
  // The order of trades, which other operations call `order`.
  const isDirection = input === 'sort' && String(schema.enum) === 'asc,desc'
  return { argument: isDirection ? 'order' : (renamed[input] ?? input) }
}
