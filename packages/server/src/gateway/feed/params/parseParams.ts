import { RequestError } from '../../ground/errors.ts'
import { itemsPerStep, type Steps } from '../../ground/steps.ts'
import type { InputContext } from '../../inputs/inputs.ts'
import type { FeedItem, FeedLimits, FeedRequest } from '../feed.ts'
import type { TopicVariant } from '../topic.ts'
import { topicVariants } from '../topics.ts'
import { isOptionsObject, noFeedOptions, parseOptions } from './feedOptions.ts'
import { formatItemKey, parseItemKey } from './itemKey.ts'
import type { InvalidItem, ParseScope, TopicParams } from './topicParams.ts'

type ParseOptions = InputContext & Pick<FeedLimits, 'itemsMax' | 'walletsMax'>

const topicList = [...topicVariants.keys()].join(', ')

/** Parses `params` of subscribe and unsubscribe. Throws if no item is usable. */
export function* parseParams(
  params: readonly unknown[],
  { chains, isCompatible, ...limits }: ParseOptions,
): Steps<FeedRequest> {
  const [topic, ...rest] = params
  const word = variantOf(topic)
  const last = rest.at(-1)
  // For a topic that accepts a filter, a single object is the filter, not the options.
  const isFilter = rest.length === 1 && word.params.parseFilter !== undefined
  const hasOptions = isOptionsObject(last) && !isFilter
  const options = hasOptions ? parseOptions(last) : noFeedOptions
  const args = hasOptions ? rest.slice(0, -1) : rest
  const usage = `params of ${word.name}: ["${word.name}", ${word.params.expectedForm}].`
  const scope = { chains, isCompatible, usage }
  const entries = entriesOf(word, args, usage)
  const itemsMax = limits[word.params.list?.max ?? 'itemsMax']
  if (entries.length > itemsMax)
    throw new RequestError(
      'limit_out_of_range',
      `A request takes at most ${itemsMax} items, but this one has ${entries.length}.`,
      'params',
    )
  const items = new Map<string, FeedItem>()
  const rejected: { param: unknown; reason: string }[] = []
  let firstFault: InvalidItem | null = null
  for (const [at, entry] of entries.entries()) {
    if (at % itemsPerStep === itemsPerStep - 1) yield
    const texts = word.params.list?.textsOf(entry) ?? args
    const parsed = parseEntry(word, texts, { entry, ...scope })
    if ('key' in parsed) items.set(parsed.key, parsed)
    else {
      rejected.push({ param: entry, reason: parsed.reason })
      firstFault ??= parsed
    }
  }
  if (items.size === 0) throw faultOf(firstFault, usage)
  return { topic: word.name, items: [...items.values()], rejected, options, hasOptions }
}

function variantOf(topic: unknown): TopicVariant {
  if (topic === undefined)
    throw new RequestError(
      'missing_param',
      `params must begin with a topic: ${topicList}.`,
      'topic',
    )
  const word = typeof topic === 'string' ? topicVariants.get(topic) : undefined
  if (word === undefined)
    throw new RequestError(
      'invalid_param',
      `params must begin with a topic: ${topicList}.`,
      'topic',
    )
  return word
}

function faultOf(fault: InvalidItem | null, usage: string): RequestError {
  if (fault === null) return new RequestError('missing_param', usage, 'params')
  return new RequestError(fault.code, fault.reason, fault.param)
}

function entriesOf(
  { params }: TopicVariant,
  args: readonly unknown[],
  usage: string,
): readonly unknown[] {
  if (params.list !== undefined) return params.list.entries(args, usage)
  if (args.length === 0) return []
  return [args.length === 1 ? args[0] : args]
}

type ItemScope = ParseScope & { entry: unknown }

/** Parses one item of a subscribe request, or returns why the item is invalid. */
function parseEntry(
  { name: topic, params }: TopicVariant,
  texts: readonly unknown[],
  { entry, ...scope }: ItemScope,
): FeedItem | InvalidItem {
  const parsed = parsedOf(params, texts, { entry, ...scope })
  if ('reason' in parsed) return parsed
  return {
    key: formatItemKey(topic, parsed),
    param: entry,
    isUnknown: parsed.isUnknown,
    isCanonical: isSame(params.write(parsed), entry),
  }
}

function parsedOf(params: TopicParams, texts: readonly unknown[], { entry, ...scope }: ItemScope) {
  if (params.parseFilter !== undefined && isOptionsObject(entry))
    return params.parseFilter(entry, scope)
  // Clients may write a kline interval as a number of minutes.
  const written = texts.map((text) => (Number.isInteger(text) ? String(text) : text))
  if (written.every((text) => typeof text === 'string')) return params.parse(written, scope)
  const reason = `Every part must be text. ${scope.usage}`
  return { reason, param: 'params', code: 'invalid_param' as const }
}

/** Rebuilds what the client wrote of a canonical item from its key, for acknowledgements. */
export function paramOfKey(key: string): unknown {
  const target = parseItemKey(key)
  return topicVariants.get(target.topic)!.params.write(target)
}

function isSame(canonical: string | readonly string[] | object, param: unknown): boolean {
  if (typeof canonical === 'string') return canonical === param
  if (!Array.isArray(canonical)) return JSON.stringify(canonical) === JSON.stringify(param)
  return Array.isArray(param) && canonical.every((part, at) => part === param[at])
}
