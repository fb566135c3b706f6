import {
  canonicalPair,
  canonicalToken,
  type ErrorCode,
  isInterval,
  parseId,
} from '@chaintape/protocol'
import { RequestError } from '../../errors.ts'
import {
  type GatewayChain,
  type GatewayChains,
  isOpening,
  notReadyReason,
} from '../../gatewayChain.ts'
import { itemsPerStep, type Steps } from '../../steps.ts'
import type { FeedItem, FeedRequest } from '../feed.ts'
import { isOptionsObject, noOptions, parseOptions } from './feedOptions.ts'
import { type FeedTopic, feedTopics, formatItemKey, isFeedTopic } from './itemKey.ts'

type Rejection = { param: unknown; reason: string }
/** An item, or the reason why it is none. */
type Fault = { reason: string; param: string; code: ErrorCode }
type Parsed = { item: FeedItem } | Fault

// What is longer is no address, chain or interval; it is not repeated to the caller.
const echoCharsMax = 80

export type ParseOptions = { chains: GatewayChains; itemsMax: number }

/** Params of subscribe and unsubscribe. Throws when nothing in them is usable. */
export function* parseParams(
  params: readonly unknown[],
  { chains, itemsMax }: ParseOptions,
): Steps<FeedRequest> {
  const [topic, ...rest] = params
  if (topic === undefined)
    throw new RequestError('missing_param', `params begins with a topic: ${topicList}.`, 'topic')
  if (!isFeedTopic(topic))
    throw new RequestError(
      'invalid_param',
      `The first of params is a topic: ${topicList}.`,
      'topic',
    )
  const last = rest.at(-1)
  const hasOptions = isOptionsObject(last)
  const options = hasOptions ? parseOptions(last) : noOptions
  const args = hasOptions ? rest.slice(0, -1) : rest
  const entries = entriesOf(topic, args)
  if (entries.length > itemsMax)
    throw new RequestError(
      'limit_out_of_range',
      `One request has at most ${itemsMax} items, this one ${entries.length}.`,
      'params',
    )
  const items = new Map<string, FeedItem>()
  const rejected: Rejection[] = []
  let firstFault: Fault | null = null
  for (const [at, entry] of entries.entries()) {
    if (at % itemsPerStep === itemsPerStep - 1) yield
    const parsed = parseEntry(topic, entry.args, entry.param, chains)
    if ('item' in parsed) items.set(parsed.item.key, parsed.item)
    else {
      rejected.push({ param: entry.param, reason: parsed.reason })
      firstFault ??= parsed
    }
  }
  if (items.size === 0) throw faultOf(topic, firstFault)
  return { topic, items: [...items.values()], rejected, options, hasOptions }
}

const topicList = feedTopics.join(', ')

function faultOf(topic: FeedTopic, fault: Fault | null): RequestError {
  if (fault === null) return new RequestError('missing_param', usages[topic], 'params')
  return new RequestError(fault.code, fault.reason, fault.param)
}

const usages: Record<FeedTopic, string> = {
  tx: 'params of tx: ["tx", pair address, chain].',
  multi_tx: 'params of multi_tx: ["multi_tx", token address, chain].',
  liq: 'params of liq: ["liq", pair address, chain].',
  kline: 'params of kline: ["kline", pair address, interval, chain].',
  multi_kline: 'params of multi_kline: ["multi_kline", [pair address, interval, chain], ...].',
  price: 'params of price: ["price", [token-id or pair-id, ...]].',
  trending: 'params of trending: ["trending", chain].',
  new_pairs: 'params of new_pairs: ["new_pairs", chain].',
}

type Entry = { args: readonly unknown[]; param: unknown }

/** What is subscribed one by one, with the words an acknowledgement repeats. */
function entriesOf(topic: FeedTopic, args: readonly unknown[]): Entry[] {
  if (topic === 'multi_kline')
    return args.map((arg) => ({ args: Array.isArray(arg) ? arg : [], param: arg }))
  if (topic === 'price') {
    const [ids, ...extra] = args
    if (!Array.isArray(ids) || extra.length > 0)
      throw new RequestError('invalid_param', usages.price, 'params')
    return ids.map((id: unknown) => ({ args: [id], param: id }))
  }
  if (args.length === 0) return []
  return [{ args, param: args.length === 1 ? args[0] : args }]
}

function parseEntry(
  topic: FeedTopic,
  args: readonly unknown[],
  param: unknown,
  chains: GatewayChains,
): Parsed {
  if (!args.every((arg) => typeof arg === 'string'))
    return {
      reason: `Every part is a text. ${usages[topic]}`,
      param: 'params',
      code: 'invalid_param',
    }
  const texts = args as readonly string[]
  if (topic === 'price') return priceItem(texts[0]!, param, chains)
  const hasInterval = topic === 'kline' || topic === 'multi_kline'
  const isOfChain = topic === 'trending' || topic === 'new_pairs'
  if (texts.length !== (isOfChain ? 1 : hasInterval ? 3 : 2))
    return { reason: usages[topic], param: 'params', code: 'invalid_param' }
  const chainName = texts.at(-1)!
  const chain = chains.get(chainName)
  if (chain === undefined) return unknownChain(chainName, chains)
  if (isOpening(chain)) return notOpen(chain)
  if (isOfChain) return itemOf({ topic, chain: chainName, address: '', interval: null }, param)
  const canonical = topic === 'multi_tx' ? canonicalToken : canonicalPair
  const address = canonical(chain.kind, texts[0]!)
  if (address === null)
    return badAddress(topic === 'multi_tx' ? 'token' : 'pair', texts[0]!, chainName)
  const { reads } = chain
  const found = topic === 'multi_tx' ? reads.findToken(address) : reads.findPair(address)
  const isUnknown = found === undefined
  if (!hasInterval)
    return itemOf({ topic, chain: chainName, address, interval: null }, param, isUnknown)
  const interval = texts[1]!
  if (!isInterval(interval))
    return {
      reason: `${echo(interval)} is no interval; these are: s1, k1, k5, k15, k30, k60, k120, k240, k1440, k10080.`,
      param: 'interval',
      code: 'invalid_param',
    }
  return itemOf({ topic, chain: chainName, address, interval }, param, isUnknown)
}

function priceItem(text: string, param: unknown, chains: GatewayChains): Parsed {
  const id = parseId(text)
  if (id === null)
    return {
      reason: `${echo(text)} is no token-id or pair-id: <address>-<chain>.`,
      param: 'id',
      code: 'malformed_id',
    }
  const chain: GatewayChain | undefined = chains.get(id.chain)
  if (chain === undefined) return unknownChain(id.chain, chains)
  if (isOpening(chain)) return notOpen(chain)
  // Every token address has the form of a pair's.
  const address = canonicalPair(chain.kind, id.address)
  if (address === null) return badAddress('token or pair', id.address, id.chain)
  const { reads } = chain
  const isUnknown = reads.findPair(address) === undefined && reads.findToken(address) === undefined
  return itemOf({ topic: 'price', chain: id.chain, address, interval: null }, param, isUnknown)
}

function itemOf(
  target: Parameters<typeof formatItemKey>[0],
  param: unknown,
  isUnknown = false,
): Parsed {
  const item: FeedItem = { key: formatItemKey(target), param }
  if (isUnknown) item.isUnknown = true
  return { item }
}

function unknownChain(name: string, chains: GatewayChains): Parsed {
  const served = [...chains.keys()].join(', ')
  return {
    reason: `The chain ${echo(name)} is not served here; these are: ${served}.`,
    param: 'chain',
    code: 'unknown_chain',
  }
}

/** Accepted, a cursor would be looked for where nothing is yet, and be lost. */
function notOpen(chain: GatewayChain): Parsed {
  return {
    reason: `The chain ${chain.profile.name} cannot be followed: ${notReadyReason(chain)}.`,
    param: 'chain',
    code: 'not_ready',
  }
}

function badAddress(what: string, text: string, chain: string): Parsed {
  return {
    reason: `${echo(text)} is no ${what} address of the chain ${chain}.`,
    param: 'address',
    code: 'malformed_id',
  }
}

function echo(text: string): string {
  return JSON.stringify(text.length > echoCharsMax ? `${text.slice(0, echoCharsMax)}...` : text)
}
