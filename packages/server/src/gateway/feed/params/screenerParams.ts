import { RequestError } from '../../ground/errors.ts'
import type { Input, InputContext } from '../../inputs/inputs.ts'
import { pairScreener } from '../../lists/pairScreener.ts'
import {
  type ScreenerKind,
  type ScreenerValues,
  screenerInputsOf,
} from '../../lists/screenerKind.ts'
import { tokenScreener } from '../../lists/tokenScreener.ts'
import {
  chainParams,
  findServedChain,
  type InvalidItem,
  type TopicParams,
  tupleSchema,
} from './topicParams.ts'

/** Maximum number of rows that one screener filter can select. */
const screenerRowsMax = 100
const nameCharsMax = 64

export type RowKind = 'tokens' | 'pairs'

const screens: Readonly<Record<RowKind, ScreenerKind>> = {
  tokens: tokenScreener,
  pairs: pairScreener,
}
const kinds = Object.keys(screens) as RowKind[]

type FilterInputs = ReadonlyMap<string, Input<unknown>>

/** Inputs of screener filters by kind. These are the inputs of REST without the page cursor. */
const inputsOfKind = Object.fromEntries(
  kinds.map((kind) => {
    const { cursor: _, ...inputs } = screenerInputsOf(screens[kind], screenerRowsMax)
    return [kind, new Map(Object.entries(inputs))]
  }),
) as unknown as Readonly<Record<RowKind, FilterInputs>>

// Inputs of screener filters never read the served chains, so parsing needs none.
const noServing = undefined as unknown as InputContext

/**
 * Params of `screener`: a chain, or an object with a chain, an order and conditions on its tokens
 * or pairs.
 */
export const screenerParams: TopicParams = {
  ...chainParams,
  expectedForm:
    'chain or {"chain", "of", "sort", "order", "limit", "min_<measure>", "max_<measure>", ...}',
  parseFilter({ chain, of = 'tokens', ...rest }, { chains, usage }) {
    if (typeof chain !== 'string') return invalid(usage, 'chain')
    const kind = kinds.find((one) => one === of)
    if (kind === undefined) return invalid(`of must be one of: ${kinds.join(', ')}.`, 'of')
    const query = queryOf(kind, rest)
    if (typeof query !== 'string') return query
    const found = findServedChain(chain, chains)
    if ('reason' in found) return found
    return {
      chain,
      address: '',
      interval: null,
      isUnknown: false,
      ...(query === '' ? {} : { filter: query }),
    }
  },
  write({ chain, filter }) {
    if (filter === undefined) return chain
    const words = [...new URLSearchParams(filter)].map(([name, text]) => {
      const isNumber = inputsOfKind[kindIn(filter)].get(name)?.schema.type !== 'string'
      return [name, isNumber && name !== 'of' ? Number(text) : text]
    })
    return { chain, ...Object.fromEntries(words) }
  },
  schema: (topic) => ({
    anyOf: [chainParams.schema(topic), ...kinds.map((kind) => filterSchema(topic, kind))],
  }),
}

function filterSchema(topic: string, kind: RowKind) {
  const properties = Array.from(inputsOfKind[kind], ([name, { schema, description }]) => [
    name,
    { ...schema, description },
  ])
  return tupleSchema(
    { const: topic },
    {
      type: 'object',
      properties: {
        chain: { type: 'string', minLength: 1, description: 'Name as in /v2/supported_chains.' },
        of: { const: kind, description: 'Kind of rows; default tokens.' },
        ...Object.fromEntries(properties),
      },
      required: kind === 'tokens' ? ['chain'] : ['chain', 'of'],
      additionalProperties: false,
    },
  )
}

/**
 * A screener filter as a query string, without defaults and in a fixed order. Equal filters have
 * equal texts.
 */
function queryOf(kind: RowKind, given: Readonly<Record<string, unknown>>): string | InvalidItem {
  const words = new URLSearchParams(kind === 'tokens' ? {} : { of: kind })
  for (const [name, value] of Object.entries(given)) {
    const input = inputsOfKind[kind].get(name)
    if (input === undefined)
      return invalid(
        `Unknown field ${name.slice(0, nameCharsMax)} for a screener of ${kind}.`,
        name,
      )
    if (typeof value !== 'string' && typeof value !== 'number')
      return invalid(`${name} must be text or a number.`, name)
    try {
      const parsed = input.parse(String(value), noServing)
      if (parsed !== null && parsed !== input.parse(undefined, noServing))
        words.set(name, String(parsed))
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      return { reason: error.message, param: name, code: error.wireCode }
    }
  }
  words.sort()
  return words.toString()
}

function kindIn(filter: string): RowKind {
  return new URLSearchParams(filter).get('of') === 'pairs' ? 'pairs' : 'tokens'
}

export type ScreenerFilter = { kind: RowKind; screen: ScreenerKind; values: ScreenerValues }

/** Parses the filter of an item key. An empty filter selects tokens by traded volume. */
export function screenerFilterOf(filter: string): ScreenerFilter {
  const kind = kindIn(filter)
  const words = new URLSearchParams(filter)
  const values = Array.from(inputsOfKind[kind], ([name, input]) => [
    name,
    input.parse(words.get(name) ?? undefined, noServing),
  ])
  return { kind, screen: screens[kind], values: { ...Object.fromEntries(values), cursor: null } }
}

function invalid(reason: string, param: string): InvalidItem {
  return { reason, param: param.slice(0, nameCharsMax), code: 'invalid_param' }
}
