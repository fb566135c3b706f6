import { type ErrorCode, type Interval, intervalOf, parseId } from '@chaintape/protocol'
import { klineIntervalNames } from '../../../model/klines/kline.ts'
import { RequestError } from '../../errors.ts'
import {
  type GatewayChain,
  type GatewayChains,
  isOpening,
  notReadyReason,
} from '../../gatewayChain.ts'
import { isMissingCurve, marketAddress, type Named } from '../../operation/compatIds.ts'
import type { IdServing } from '../../operation/inputs.ts'
import type { JsonSchema } from '../../operation/operation.ts'
import { arrayOf, ref } from '../../operation/schemas.ts'

/** What the texts of one entry mean. `address` is empty for topics of a whole chain. */
type ParsedEntry = {
  chain: string
  address: string
  interval: Interval | null
  /** What is selected, of topics that take a filter; absent: all. */
  filter?: string
  /** No chain knows it yet. */
  isUnknown: boolean
}

type WrittenEntry = Omit<ParsedEntry, 'isUnknown'>

/** Why an entry is none. */
export type Fault = { reason: string; param: string; code: ErrorCode }

export type ParamsScope = IdServing & { usage: string }

/** What follows the topic in `params`. */
export type TopicParams = {
  /** In words, for who got them wrong. */
  form: string
  /** Absent: all that follows the topic is one entry. */
  list?: {
    /** What is subscribed one by one, as the caller wrote it. */
    entries(args: readonly unknown[], usage: string): readonly unknown[]
    textsOf(entry: unknown): readonly unknown[]
    /** The limit of how many there may be, where they have one of their own. */
    max?: 'walletsMax'
  }
  /** Of topics whose entry may be an object: what it means. */
  parseFilter?(filter: Readonly<Record<string, unknown>>, scope: ParamsScope): ParsedEntry | Fault
  parse(texts: readonly string[], scope: ParamsScope): ParsedEntry | Fault
  /** The entry that `parse` reads as this, in the words of an acknowledgement. */
  write(target: WrittenEntry): string | readonly string[] | object
  /** Of the whole of `params`, that begins with the topic. */
  schema(topic: string): JsonSchema
}

const address = { type: 'string', minLength: 1, description: 'Or `<address>-<chain>`.' }
const chain = { type: 'string', minLength: 1, description: 'As /v2/supported_chains names it.' }
const minutes = klineIntervalNames.slice(1).map((name) => name.slice(1))
const interval = {
  enum: [...klineIntervalNames, ...minutes, ...minutes.map(Number)],
  description: '`s1` a second, `k15`, `15` or the number 15 15 minutes.',
}
const id = { type: 'string', pattern: '^.+-[^-]+$', description: 'token-id or pair-id' }

/** Tuples in the words of draft 07, which the document's schemas are read by. */
export function tuple(...items: readonly JsonSchema[]): JsonSchema {
  return { type: 'array', items, minItems: items.length, additionalItems: ref('Options') }
}

export const pairParams: TopicParams = {
  form: 'pair address, chain',
  parse: (texts, scope) => parseAddress('pair', texts, 2, scope),
  write: writeAddress,
  schema: (topic) => tuple({ const: topic }, address, chain),
}

export const tokenParams: TopicParams = {
  form: 'token address, chain',
  parse: (texts, scope) => parseAddress('token', texts, 2, scope),
  write: writeAddress,
  schema: (topic) => tuple({ const: topic }, address, chain),
}

export const chainParams: TopicParams = {
  form: 'chain',
  parse(texts, scope) {
    const found = parseChain(texts, 1, scope)
    if ('reason' in found) return found
    return { chain: texts[0]!, address: '', interval: null, isUnknown: false }
  },
  write: ({ chain }) => chain,
  schema: (topic) => tuple({ const: topic }, chain),
}

export const klineParams: TopicParams = {
  form: 'pair address, interval, chain',
  parse: parseKline,
  write: writeKline,
  schema: (topic) => tuple({ const: topic }, address, interval, chain),
}

export const klineListParams: TopicParams = {
  form: '[pair address, interval, chain], ...',
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
      additionalItems: { anyOf: [item, ref('Options')] },
    }
  },
}

export const idListParams: TopicParams = {
  form: '[token-id or pair-id, ...]',
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
  schema: (topic) => tuple({ const: topic }, { ...arrayOf(id), minItems: 1 }),
}

const walletId = { type: 'string', pattern: '^.+-[^-]+$', description: '`<wallet>-<chain>`' }

export const walletListParams: TopicParams = {
  ...idListParams,
  form: '[<wallet>-<chain>, ...]',
  list: { ...idListParams.list!, max: 'walletsMax' },
  parse: ([text], { chains }) => parseWallet(text!, chains),
  schema: (topic) => tuple({ const: topic }, { ...arrayOf(walletId), minItems: 1 }),
}

/** The chain that the last text names, where there are as many texts as there should be. */
function parseChain(
  texts: readonly string[],
  count: number,
  { chains, usage }: ParamsScope,
): GatewayChain | Fault {
  if (texts.length !== count) return { reason: usage, param: 'params', code: 'invalid_param' }
  return findChain(texts.at(-1)!, chains)
}

export function findChain(name: string, chains: GatewayChains): GatewayChain | Fault {
  const found = chains.get(name)
  if (found === undefined) return unknownChain(name, chains)
  return isOpening(found) ? notOpen(found) : found
}

/** The address in a text that may be an id of the same chain, as REST takes it; no address of any chain has a hyphen. */
function addressIn(text: string, chainName: string): string {
  const id = parseId(text)
  return id?.chain === chainName ? id.address : text
}

/** The first text is the address. */
function parseAddress(
  what: 'pair' | 'token',
  texts: readonly string[],
  count: number,
  scope: ParamsScope,
): ParsedEntry | Fault {
  const found = parseChain(texts, count, scope)
  if ('reason' in found) return found
  const name = texts.at(-1)!
  const named = { chain: found, text: addressIn(texts[0]!, name), name }
  return parseNamed(what, named, scope)
}

function parseNamed(
  what: Named,
  { chain, text, name }: { chain: GatewayChain; text: string; name: string },
  { isCompatible }: ParamsScope,
): ParsedEntry | Fault {
  const address = marketAddress({ chain, isCompatible }, text, what)
  if (address === null) return badAddress(what, text, name)
  if (isMissingCurve(address)) return missingCurve(text, name)
  const { reads } = chain
  const isKnown =
    (what !== 'token' && reads.findPair(address) !== undefined) ||
    (what !== 'pair' && reads.findToken(address) !== undefined)
  return { chain: name, address, interval: null, isUnknown: !isKnown }
}

function parseKline(texts: readonly string[], scope: ParamsScope): ParsedEntry | Fault {
  const found = parseAddress('pair', texts, 3, scope)
  if ('reason' in found) return found
  const name = texts[1]!
  const interval = intervalOf(name)
  if (interval !== null) return { ...found, interval }
  return {
    reason: `${echo(name)} is no interval; these are: s1, k1, k5, k15, k30, k60, k120, k240, k1440, k10080, and these without the k.`,
    param: 'interval',
    code: 'invalid_param',
  }
}

function writeAddress({ address, chain }: WrittenEntry): readonly string[] {
  return [address, chain]
}

function writeKline({ address, interval, chain }: WrittenEntry): readonly string[] {
  return [address, interval ?? '', chain]
}

function parseTokenOrPair(text: string, scope: ParamsScope): ParsedEntry | Fault {
  const found = parseOfChain(text, scope.chains, 'token-id or pair-id')
  if ('reason' in found) return found
  const { address, name, chain } = found
  return parseNamed('token or pair', { chain, text: address, name }, scope)
}

/** Nobody knows all wallets: whatever is one by its form may trade. */
function parseWallet(text: string, chains: GatewayChains): ParsedEntry | Fault {
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
): { address: string; name: string; chain: GatewayChain } | Fault {
  const parsed = parseId(text)
  if (parsed === null)
    return {
      reason: `${echo(text)} is no ${what}: <address>-<chain>.`,
      param: 'id',
      code: 'malformed_id',
    }
  const chain = findChain(parsed.chain, chains)
  return 'reason' in chain ? chain : { address: parsed.address, name: parsed.chain, chain }
}

function unknownChain(name: string, chains: GatewayChains): Fault {
  const served = [...chains.keys()].join(', ')
  return {
    reason: `The chain ${echo(name)} is not served here; these are: ${served}.`,
    param: 'chain',
    code: 'unknown_chain',
  }
}

/** Accepted, a cursor would be looked for where nothing is yet, and be lost. */
function notOpen(found: GatewayChain): Fault {
  return {
    reason: `The chain ${found.profile.name} cannot be followed: ${notReadyReason(found)}.`,
    param: 'chain',
    code: 'not_ready',
  }
}

function badAddress(what: string, text: string, chainName: string): Fault {
  return {
    reason: `${echo(text)} is no ${what} address of the chain ${chainName}.`,
    param: 'address',
    code: 'malformed_id',
  }
}

/** Accepted, it would never be pushed: the curve is looked up once. */
function missingCurve(text: string, chainName: string): Fault {
  return {
    reason: `${echo(text)}: no launch curve of this token is known on the chain ${chainName} yet.`,
    param: 'address',
    code: 'invalid_param',
  }
}

// What is longer is no address, chain or interval; it is not repeated to the caller.
const echoCharsMax = 80

function echo(text: string): string {
  return JSON.stringify(text.length > echoCharsMax ? `${text.slice(0, echoCharsMax)}...` : text)
}
