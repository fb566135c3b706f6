import { parseId } from '@chaintape/protocol'
import { type GatewayChain, type GatewayChains, requireReadyChain } from '../chain/gatewayChain.ts'
import type { TimeRange } from '../chain/recentRows.ts'
import { RequestError } from '../ground/errors.ts'
import type { JsonSchema } from '../ground/schemas.ts'
import { parseMarketAddress } from './compatIds.ts'
import { type Correction, clampToMax, correctFloat, correctOrder } from './corrections.ts'

/** Facts of the service that parsing an input may depend on. */
export type InputContext = {
  chains: GatewayChains
  /** True in compatibility mode, which also accepts what docs/reference/compat.md lists. */
  isCompatible: boolean
}

/** A path or query parameter: how it is parsed, and how the OpenAPI document describes it. */
export type Input<value> = {
  name: string
  /** Alternative parameter name that existing clients send. */
  alias?: string
  in: 'path' | 'query'
  isRequired: boolean
  description: string
  schema: JsonSchema
  example?: string | number
  /**
   * Parses the text; undefined when the client did not send the parameter. Throws a RequestError
   * that names the parameter.
   */
  parse(text: string | undefined, serving: InputContext): value
  /** In compatibility mode, returns a replacement for the text. Null: parse the text unchanged. */
  correct?(text: string): Correction | null
}

// biome-ignore lint/suspicious/noExplicitAny: each operation has values of its own
export type Inputs = { readonly [name: string]: Input<any> }

/** A chain and an address on it, in the chain's canonical spelling. */
export type ChainAddress = { chain: GatewayChain; address: string }

type TextSpec = { name: string; description: string; example?: string; charsMax?: number }

// Default maximum length of a text parameter: no symbol, name, address or hash of any chain is
// longer.
const textCharsMax = 256

export function requiredTextInput({
  name,
  description,
  example,
  charsMax,
}: TextSpec): Input<string> {
  const maxLength = charsMax ?? textCharsMax
  return {
    name,
    in: 'query',
    isRequired: true,
    description,
    ...(example === undefined ? {} : { example }),
    schema: { type: 'string', minLength: 1, maxLength },
    parse(text) {
      if (text === undefined || text.trim() === '')
        throw new RequestError('missing_param', `The parameter ${name} is required.`, name)
      return checkedLength(text.trim(), name, maxLength)
    },
  }
}

export function optionalTextInput(spec: TextSpec): Input<string | null> {
  const required = requiredTextInput(spec)
  return {
    ...required,
    isRequired: false,
    parse: (text, serving) =>
      text === undefined || text.trim() === '' ? null : required.parse(text, serving),
  }
}

function checkedLength(text: string, name: string, charsMax: number): string {
  if (text.length > charsMax)
    throw new RequestError(
      'invalid_param',
      `The parameter ${name} has over ${charsMax} characters.`,
      name,
    )
  return text
}

type IntegerSpec = {
  name: string
  description: string
  default: number
  min: number
  max: number
}

/** Creates an integer parameter. Values outside `min` and `max` are refused. */
export function integerInput(spec: IntegerSpec): Input<number> {
  const { name, description, min, max } = spec
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema: { type: 'integer', minimum: min, maximum: max, default: spec.default },
    parse(text) {
      if (text === undefined) return spec.default
      // Longer digit runs exceed every maximum of an integer parameter and are not exact as
      // doubles.
      if (!/^[+-]?\d{1,400}$/.test(text))
        throw new RequestError(
          'invalid_param',
          `The parameter ${name} is not a whole number.`,
          name,
        )
      const value = Number(text)
      if (value < min || value > max)
        throw new RequestError(
          'limit_out_of_range',
          `The parameter ${name} must be ${min} to ${max}.`,
          name,
        )
      return value
    },
    correct: (text) => correctFloat(name, text),
  }
}

type RowLimitSpec = {
  name?: string
  alias?: string
  description: string
  default: number
  max: number
}

/**
 * Creates a row limit parameter. A value above the maximum is refused, or reduced to the maximum in
 * compatibility mode.
 */
export function rowLimitInput({ name = 'limit', alias, ...spec }: RowLimitSpec): Input<number> {
  return {
    ...integerInput({ name, min: 1, ...spec }),
    ...(alias === undefined ? {} : { alias }),
    correct: (text) => clampToMax(name, text, spec.max),
  }
}

type WordSpec<word extends string> = {
  name: string
  description: string
  words: readonly word[]
  default: word
}

/** Creates a parameter that accepts one of several words. */
export function wordInput<const word extends string>(spec: WordSpec<word>): Input<word> {
  const { name, description, words } = spec
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema: { type: 'string', enum: words, default: spec.default },
    parse(text) {
      if (text === undefined) return spec.default
      const found = words.find((candidate) => candidate === text)
      if (found === undefined)
        throw new RequestError(
          'invalid_param',
          `The parameter ${name} is one of ${words.join(', ')}.`,
          name,
        )
      return found
    },
  }
}

/**
 * Creates a sort parameter (key or direction). Compatibility mode replaces unknown words by the
 * default.
 */
export function orderInput<const word extends string>(spec: WordSpec<word>): Input<word> {
  return { ...wordInput(spec), correct: (text) => correctOrder(spec.name, text, spec) }
}

const flagWords = ['0', '1', 'false', 'true']

/**
 * Creates a boolean parameter. Accepts `0`, `1`, `false` and `true` in any letter case, as clients
 * in different languages write booleans.
 */
export function flagInput(name: string, description: string): Input<boolean> {
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema: { type: 'string', enum: flagWords, default: '0' },
    parse(text = '0') {
      const at = flagWords.indexOf(text.toLowerCase())
      if (at < 0)
        throw new RequestError(
          'invalid_param',
          `The parameter ${name} is one of ${flagWords.join(', ')}.`,
          name,
        )
      return at % 2 === 1
    },
  }
}

const chainSchema = { type: 'string', pattern: '^[a-z][a-z0-9_]{0,31}$' }

export const requiredChainInput: Input<GatewayChain> = {
  name: 'chain',
  in: 'query',
  isRequired: true,
  schema: chainSchema,
  description: 'Name of a served chain.',
  parse(text, { chains }) {
    if (text === undefined)
      throw new RequestError('missing_param', 'The parameter chain is required.', 'chain')
    return requireReadyChain(chains, text, 'chain')
  },
}

export const optionalChainInput: Input<GatewayChain | null> = {
  ...requiredChainInput,
  isRequired: false,
  description: 'Only this chain. Default: all chains.',
  parse: (text, serving) => (text === undefined ? null : requiredChainInput.parse(text, serving)),
}

export const tokenIdInput: Input<ChainAddress> = {
  name: 'token-id',
  in: 'path',
  isRequired: true,
  schema: { type: 'string' },
  description: 'Token as `<token_address>-<chain>`.',
  parse: (text, serving) => parseTokenId(serving, text ?? '', 'token-id'),
}

export const pairIdInput: Input<ChainAddress> = {
  name: 'pair-id',
  in: 'path',
  isRequired: true,
  schema: { type: 'string' },
  description: 'Pair as `<pair_address>-<chain>`.',
  parse: (text, serving) => parseMarketId(serving, text ?? '', 'pair-id', 'pair'),
}

export function parseTokenId(serving: InputContext, text: string, param: string): ChainAddress {
  return parseMarketId(serving, text, param, 'token')
}

function parseMarketId(
  { chains, isCompatible }: InputContext,
  text: string,
  param: string,
  what: 'token' | 'pair',
): ChainAddress {
  const id = parseId(text)
  if (id === null)
    throw new RequestError(
      'malformed_id',
      `The id ${quoteInput(text)} is not <address>-<chain>.`,
      param,
    )
  const chain = requireReadyChain(chains, id.chain, param)
  const address = parseMarketAddress({ chain, isCompatible }, id.address, what)
  if (address === null)
    throw new RequestError(
      'malformed_id',
      `The address ${quoteInput(id.address)} is not one of the chain ${id.chain}.`,
      param,
    )
  return { chain, address }
}

// Error messages quote at most this much of the client's input.
const shownCharsMax = 80

/** Quotes the client's input for an error message, shortened to a fixed length. */
export function quoteInput(text: string): string {
  return JSON.stringify(text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text)
}

// Latest accepted time, the end of the year 9999. A later time is a mistake, most likely
// milliseconds.
const timeSMax = 253_402_300_799

/** Creates a time parameter in unix seconds; null when not given. */
export function optionalTimeInput(name: string, description: string): Input<number | null> {
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema: { type: 'integer', minimum: 0, maximum: timeSMax },
    parse(text) {
      if (text === undefined) return null
      if (!/^[+-]?\d{1,400}$/.test(text))
        throw new RequestError('invalid_param', `${name} is not a whole number.`, name)
      const timeS = Number(text)
      if (timeS < 0 || timeS > timeSMax)
        throw new RequestError(
          'limit_out_of_range',
          `${name} is in unix seconds, 0 to ${timeSMax}.`,
          name,
        )
      return timeS
    },
    correct: (text) => correctFloat(name, text),
  }
}

export const fromTimeInput = optionalTimeInput('from_time', 'First second of the range, unix time.')
export const toTimeInput = optionalTimeInput(
  'to_time',
  'Last second of the range, unix time. Default: now.',
)

/**
 * Returns the requested range. A missing start means the start of history; a missing end means now.
 */
export function timeRangeOf(
  fromS: number | null,
  toS: number | null,
  nowS: number,
  names = { from: 'from_time', to: 'to_time' },
): TimeRange {
  if (fromS !== null && toS !== null && fromS > toS)
    throw new RequestError('invalid_param', `${names.from} is after ${names.to}.`, names.from)
  return { fromS: fromS ?? 0, toS: toS ?? Math.max(nowS, fromS ?? 0) }
}
