import type { SwapEvent } from '../../../model/marketEvent.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import { PushChannel } from '../channel.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import {
  chainParams,
  findServedChain,
  type InvalidItem,
  type TopicParams,
  tupleSchema,
} from '../params/topicParams.ts'
import type { Push } from '../push.ts'
import {
  createTradeTest,
  type TradeFilter,
  type TradeSelection,
  tradesOfChain,
} from '../replay/tradeReplaySource.ts'
import type { SwapPushes } from '../swapPushes.ts'
import { SwapsTopic } from '../swapsTopic.ts'
import type { Topic } from '../topic.ts'

const usdE8 = 1e8
// Largest USD amount that a double can count in units of 1e-8.
const usdMax = Number.MAX_SAFE_INTEGER / usdE8
const venueCharsMax = 64

/** Params of `trades`: a chain, or an object with a chain and conditions on its swaps. */
export const tradesParams: TopicParams = {
  ...chainParams,
  expectedForm: 'chain or {"chain", "min_usd", "venue"}',
  parseFilter({ chain, min_usd = 0, venue = '', ...rest }, { chains, usage }) {
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined) return invalid(usage, unknown.slice(0, venueCharsMax))
    if (typeof chain !== 'string') return invalid(usage, 'chain')
    if (typeof min_usd !== 'number' || !(min_usd >= 0 && min_usd <= usdMax))
      return invalid(`min_usd must be a number of USD from 0 to ${Math.floor(usdMax)}.`, 'min_usd')
    if (typeof venue !== 'string' || venue.length > venueCharsMax)
      return invalid('venue must be the name of a protocol, as in the field amm of pairs.', 'venue')
    const found = findServedChain(chain, chains)
    if ('reason' in found) return found
    const words = new URLSearchParams()
    if (min_usd > 0) words.set('min_usd', String(min_usd))
    if (venue !== '') words.set('venue', venue)
    const filter = words.toString()
    return {
      chain,
      address: '',
      interval: null,
      isUnknown: false,
      ...(filter === '' ? {} : { filter }),
    }
  },
  write({ chain, filter }) {
    if (filter === undefined) return chain
    const { usdE8Min, venue } = tradeFilterOf(filter)
    return {
      chain,
      ...(usdE8Min > 0 ? { min_usd: usdE8Min / usdE8 } : {}),
      ...(venue === null ? {} : { venue }),
    }
  },
  schema: (topic) => ({
    anyOf: [chainParams.schema(topic), tupleSchema({ const: topic }, filterSchema)],
  }),
}

const filterSchema = {
  type: 'object',
  properties: {
    chain: { type: 'string', minLength: 1, description: 'Name as in /v2/supported_chains.' },
    min_usd: {
      type: 'number',
      minimum: 0,
      default: 0,
      description: 'Only swaps worth at least this much; swaps in untrusted pools are worth 0.',
    },
    venue: { type: 'string', description: 'Only swaps of this protocol, as in `amm`.' },
  },
  required: ['chain'],
  additionalProperties: false,
}

/** Parses the filter of an item key. An empty filter selects all swaps. */
export function tradeFilterOf(filter: string): TradeFilter {
  const words = new URLSearchParams(filter)
  return {
    usdE8Min: Math.round(Number(words.get('min_usd') ?? 0) * usdE8),
    venue: words.get('venue'),
  }
}

function invalid(reason: string, param: string): InvalidItem {
  return { reason, param, code: 'invalid_param' }
}

/** Topic `trades`: swaps of a whole chain, or those that pass a filter. */
export const tradesTopic: Topic = {
  variants: [{ name: 'trades', params: tradesParams }],
  open:
    ({ clock }) =>
    (market) =>
      new TradesTopic(market, clock),
}

/** Subscribers to the swaps that one filter selects. */
class FilteredChannel extends PushChannel {
  readonly isOf: ReturnType<typeof createTradeTest>

  constructor(filter: string) {
    super()
    this.isOf = createTradeTest(tradeFilterOf(filter))
  }
}

class TradesTopic extends SwapsTopic<FilteredChannel> {
  protected keyOf({ filter = '' }: ItemTarget): string {
    return filter
  }

  protected open(filter: string): FilteredChannel {
    return new FilteredChannel(filter)
  }

  protected *channelsFor(event: SwapEvent, pair: PairFacts): Iterable<FilteredChannel> {
    for (const channel of this.byKey.values()) if (channel.isOf(event, pair)) yield channel
  }

  protected selectForm(pushes: SwapPushes): Push {
    return pushes.forChain()
  }

  protected selectionOf({ filter = '' }: ItemTarget): TradeSelection {
    return tradesOfChain(this.market, tradeFilterOf(filter))
  }
}
