import { type ErrorCode, type Interval, intervalOf, parseId } from '@chaintape/protocol'
import { klineIntervalNames } from '../../../model/klines/kline.ts'
import {
  type GatewayChain,
  type GatewayChains,
  isOpening,
  notReadyReason,
} from '../../chain/gatewayChain.ts'
import { RequestError } from '../../ground/errors.ts'
import { arraySchema, componentRef, type JsonSchema } from '../../ground/schemas.ts'
import { type IdKind, isUnknownCurve, parseMarketAddress } from '../../inputs/compatIds.ts'
import type { InputContext } from '../../inputs/inputs.ts'

/** A parsed item. `address` is empty for topics about a whole chain. */
type ParsedItem = {
  chain: string
  address: string
  interval: Interval | null
  /** Filter of the item, for topics that accept one; absent: no filter. */
  filter?: string
  /** True: the item names a pair or token that the chain does not know yet. */
  isUnknown: boolean
}

type ItemToWrite = Omit<ParsedItem, 'isUnknown'>

/** Why an item of a subscribe request is invalid. */
export type InvalidItem = { reason: string; param: string; code: ErrorCode }

export type ParseScope = InputContext & { usage: string }

/** How a topic parses, writes and documents what follows its name in `params`. */
export type TopicParams = {
  /** The expected form of the params in words, for error messages. */
  expectedForm: string
  /** How a list of items is split. Absent: everything after the topic name is one item. */
  list?: {
    /** Returns the items of a list as the client wrote them. */
    entries(args: readonly unknown[], usage: string): readonly unknown[]
    textsOf(entry: unknown): readonly unknown[]
    /** Name of the topic's own limit on items; absent: the general limit. */
    max?: 'walletsMax'
  }
  /** Parses an item that is an object, for topics that accept a filter. */
  parseFilter?(
    filter: Readonly<Record<string, unknown>>,
    scope: ParseScope,
  ): ParsedItem | InvalidItem
  parse(texts: readonly string[], scope: ParseScope): ParsedItem | InvalidItem
  /** Writes an item in the form that `parse` reads, for acknowledgements. */
  write(target: ItemToWrite): string | readonly string[] | object
  /** JSON schema of the whole `params` array, which begins with the topic name. */
  schema(topic: string): JsonSchema
}

const address = { type: 'string', minLength: 1, description: 'Or `<address>-<chain>`.' }
const chain = { type: 'string', minLength: 1, description: 'Name as in /v2/supported_chains.' }
const minutes = klineIntervalNames.slice(1).map((name) => name.slice(1))
const interval = {
  enum: [...klineIntervalNames, ...minutes, ...minutes.map(Number)],
  description: '`s1` is one second; `k15`, `15` and the number 15 are 15 minutes.',
}
const id = { type: 'string', pattern: '^.+-[^-]+$', description: 'token-id or pair-id' }

/** Schema of a tuple in draft 07 of JSON Schema, the version of the API document. */
export function tupleSchema(...items: readonly JsonSchema[]): JsonSchema {
  return { type: 'array', items, minItems: items.length, additionalItems: componentRef('Options') }
}

export const pairParams: TopicParams = {
  expectedForm: 'pair address, chain',
  parse: (texts, scope) => parseAddress('pair', texts, 2, scope),
  write: writeAddress,
  schema: (topic) => tupleSchema({ const: topic }, address, chain),
}

export const tokenParams: TopicParams = {
  expectedForm: 'token address, chain',
  parse: (texts, scope) => parseAddress('token', texts, 2, scope),
  write: writeAddress,
  schema: (topic) => tupleSchema({ const: topic }, address, chain),
}

export const chainParams: TopicParams = {
  expectedForm: 'chain',
  parse(texts, scope) {
    const found = parseChain(texts, 1, scope)
    if ('reason' in found) return found
    return { chain: texts[0]!, address: '', interval: null, isUnknown: false }
  },
  write: ({ chain }) => chain,
  schema: (topic) => tupleSchema({ const: topic }, chain),
}

export const klineParams: TopicParams = {
  expectedForm: 'pair address, interval, chain',
  parse: parseKline,
  write: writeKline,
  schema: (topic) => tupleSchema({ const: topic }, address, interval, chain),
}

export const klineListParams: TopicParams = {
  expectedForm: '[pair address, interval, chain], ...',
  list: {
    entries: (args) => args,
    textsOf: (entry) => (Array.isArray(entry) ? entry : []),
  },
  parse: parseKline,
  write: writeKline,
  schema(topic) {
    const items = [address, interval, chain]
    const item = { type: 'array', items, minItems: items.length, additionalItems: false }
    return {
      type: 'array',
      items: [{ const: topic }],
      minItems: 2,
      additionalItems: { anyOf: [item, componentRef('Options')] },
    }
  },
}

export const idListParams: TopicParams = {
  expectedForm: '[token-id or pair-id, ...]',
  list: {
    entries([ids, ...extra], usage) {
      if (!Array.isArray(ids) || extra.length > 0)
        throw new RequestError('invalid_param', usage, 'params')
      return ids
    },
    textsOf: (entry) => [entry],
  },
  parse: ([text], scope) => parseTokenOrPair(text!, scope),
  write: ({ address, chain }) => `${address}-${chain}`,
  schema: (topic) => tupleSchema({ const: topic }, { ...arraySchema(id), minItems: 1 }),
}

const walletId = { type: 'string', pattern: '^.+-[^-]+$', description: '`<wallet>-<chain>`' }

export const walletListParams: TopicParams = {
  ...idListParams,
  expectedForm: '[<wallet>-<chain>, ...]',
  list: { ...idListParams.list!, max: 'walletsMax' },
  parse: ([text], { chains }) => parseWallet(text!, chains),
  schema: (topic) => tupleSchema({ const: topic }, { ...arraySchema(walletId), minItems: 1 }),
}

/** Finds the chain that the last text names. Fails if the number of texts is wrong. */
function parseChain(
  texts: readonly string[],
  count: number,
  { chains, usage }: ParseScope,
): GatewayChain | InvalidItem {
  if (texts.length !== count) return { reason: usage, param: 'params', code: 'invalid_param' }
  return findServedChain(texts.at(-1)!, chains)
}

export function findServedChain(name: string, chains: GatewayChains): GatewayChain | InvalidItem {
  const found = chains.get(name)
  if (found === undefined) return unknownChain(name, chains)
  return isOpening(found) ? notOpen(found) : found
}

/**
 * Returns the address in a text that may be an id of the same chain, as in REST. Addresses never
 * contain a hyphen.
 */
function addressIn(text: string, chainName: string): string {
  const id = parseId(text)
  return id?.chain === chainName ? id.address : text
}

/** Parses texts of which the first is an address and the last a chain. */
function parseAddress(
  what: 'pair' | 'token',
  texts: readonly string[],
  count: number,
  scope: ParseScope,
): ParsedItem | InvalidItem {
  const found = parseChain(texts, count, scope)
  if ('reason' in found) return found
  const name = texts.at(-1)!
  const named = { chain: found, text: addressIn(texts[0]!, name), name }
  return parseNamed(what, named, scope)
}

function parseNamed(
  what: IdKind,
  { chain, text, name }: { chain: GatewayChain; text: string; name: string },
  { isCompatible }: ParseScope,
): ParsedItem | InvalidItem {
  const address = parseMarketAddress({ chain, isCompatible }, text, what)
  if (address === null) return badAddress(what, text, name)
  if (isUnknownCurve(address)) return missingCurve(text, name)
  const { reads } = chain
  const isKnown =
    (what !== 'token' && reads.findPair(address) !== undefined) ||
    (what !== 'pair' && reads.findToken(address) !== undefined)
  return { chain: name, address, interval: null, isUnknown: !isKnown }
}

function parseKline(texts: readonly string[], scope: ParseScope): ParsedItem | InvalidItem {
  const found = parseAddress('pair', texts, 3, scope)
  if ('reason' in found) return found
  const name = texts[1]!
  const interval = intervalOf(name)
  if (interval !== null) return { ...found, interval }
  return {
    reason: `${echo(name)} is not an interval. The intervals are: s1, k1, k5, k15, k30, k60, k120, k240, k1440, k10080, each also without the k.`,
    param: 'interval',
    code: 'invalid_param',
  }
}

function writeAddress({ address, chain }: ItemToWrite): readonly string[] {
  return [address, chain]
}

function writeKline({ address, interval, chain }: ItemToWrite): readonly string[] {
  return [address, interval ?? '', chain]
}

function parseTokenOrPair(text: string, scope: ParseScope): ParsedItem | InvalidItem {
  const found = parseOfChain(text, scope.chains, 'token-id or pair-id')
  if ('reason' in found) return found
  const { address, name, chain } = found
  return parseNamed('token or pair', { chain, text: address, name }, scope)
}

/**
 * Parses a wallet id. Any well-formed address is accepted, because wallets are not known before
 * they trade.
 */
function parseWallet(text: string, chains: GatewayChains): ParsedItem | InvalidItem {
  const found = parseOfChain(text, chains, 'wallet')
  if ('reason' in found) return found
  const { address, name, chain } = found
  const known = chain.ids.token(address)
  if (known === null) return badAddress('wallet', address, name)
  return { chain: name, address: known, interval: null, isUnknown: false }
}

function parseOfChain(
  text: string,
  chains: GatewayChains,
  what: string,
): { address: string; name: string; chain: GatewayChain } | InvalidItem {
  const parsed = parseId(text)
  if (parsed === null)
    return {
      reason: `${echo(text)} is not a ${what} (<address>-<chain>).`,
      param: 'id',
      code: 'malformed_id',
    }
  const chain = findServedChain(parsed.chain, chains)
  return 'reason' in chain ? chain : { address: parsed.address, name: parsed.chain, chain }
}

function unknownChain(name: string, chains: GatewayChains): InvalidItem {
  const served = [...chains.keys()].join(', ')
  return {
    reason: `The chain ${echo(name)} is not served here. The chains are: ${served}.`,
    param: 'chain',
    code: 'unknown_chain',
  }
}

/**
 * Refuses a chain that is still being loaded: its cursors cannot be found yet, and would be
 * reported as lost.
 */
function notOpen(found: GatewayChain): InvalidItem {
  return {
    reason: `The chain ${found.profile.name} cannot be followed: ${notReadyReason(found)}.`,
    param: 'chain',
    code: 'not_ready',
  }
}

function badAddress(what: string, text: string, chainName: string): InvalidItem {
  return {
    reason: `${echo(text)} is not a ${what} address of the chain ${chainName}.`,
    param: 'address',
    code: 'malformed_id',
  }
}

/**
 * Refuses a token without a known launch curve. The curve is looked up only once, so an accepted
 * item would never be pushed.
 */
function missingCurve(text: string, chainName: string): InvalidItem {
  return {
    reason: `${echo(text)}: no launch curve of this token is known on the chain ${chainName} yet.`,
    param: 'address',
    code: 'invalid_param',
  }
}

// Longer than any address, chain or interval; error messages repeat no more than this.
const echoCharsMax = 80

function echo(text: string): string {
  return JSON.stringify(text.length > echoCharsMax ? `${text.slice(0, echoCharsMax)}...` : text)
}
