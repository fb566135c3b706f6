import type { Tape } from '@chaintape/client'
import type { Interval } from '@chaintape/protocol'
import { intervals } from '@chaintape/protocol'
import { McpInputError, WatchLostError } from './errors.ts'
import { type Arguments, checkNames, type Tool } from './operationTools.ts'

// Longer than this, whoever waits for an answer gives up.
const secondsMax = 30
const secondsDefault = 10
const pushesMax = 200
const pushesDefault = 25

type Watched = AsyncIterable<unknown> & { close(): Promise<void> }

/** How each topic is streamed, and what of an item is told. */
const topics: Readonly<
  Record<string, { open(tape: Tape, given: Given): Watched; fields?: readonly string[] }>
> = {
  swaps: { open: (tape, { id }) => tape.swaps(id, snapshot), fields: tradeFields() },
  token_swaps: { open: (tape, { id }) => tape.tokenSwaps(id, snapshot), fields: tradeFields() },
  liquidity: {
    open: (tape, { id }) => tape.liquidity(id, snapshot),
    fields: [
      'id',
      'type',
      'time',
      'amount0',
      'token0_symbol',
      'amount1',
      'token1_symbol',
      'amount_usd',
    ],
  },
  klines: { open: (tape, { id, interval }) => tape.klines(id, interval, snapshot) },
  prices: {
    open: (tape, { id }) => tape.prices(idsIn(id)),
    fields: [
      'token',
      'pair',
      'chain',
      'uprice',
      'last_price',
      'price_change_24h',
      'volume_24_u',
      'time',
    ],
  },
  trending: { open: (tape, { id }) => tape.trending(id) },
  new_pairs: { open: (tape, { id }) => tape.newPairs(id) },
  wallet: { open: (tape, { id }) => tape.wallet(idsIn(id), snapshot), fields: tradeFields() },
  trades: { open: (tape, { id }) => tape.trades(id, snapshot), fields: tradeFields() },
  launches: { open: (tape, { id }) => tape.launches(id, snapshot) },
  holders: { open: (tape, { id }) => tape.holders(id) },
  screener: { open: (tape, { id }) => tape.screener({ chain: id, limit: 20 }) },
}

// The pushes are those from now on.
const snapshot = { snapshot: false } as const

const idsIn = (text: string) => text.split(',').map((one) => one.trim())

function tradeFields(): readonly string[] {
  return [
    ...['id', 'time', 'direction', 'amount_usd', 'from_symbol', 'from_amount', 'to_symbol'],
    ...['to_amount', 'wallet_address', 'transaction'],
  ]
}

type Given = { id: string; interval: Interval; seconds: number; pushes: number }

const topicNames = Object.keys(topics)

export const watchTool: Tool = {
  name: 'watch',
  description:
    'Collects what is pushed from now on, for some seconds, and gives it all at once: live swaps of pairs, tokens, wallets or whole chains, liquidity, klines, prices, ranks, new pairs, launches, holders, the most traded tokens. Costs no credit units.',
  inputSchema: {
    type: 'object',
    properties: {
      topic: { type: 'string', enum: topicNames, description: 'What is watched.' },
      id: {
        type: 'string',
        description:
          'A pair-id (swaps, liquidity, klines), a token-id (token_swaps, holders), ids separated by commas (prices, wallet), or a chain (trending, new_pairs, trades, launches, screener). Ids are `<address>-<chain>`.',
      },
      interval: {
        type: 'string',
        enum: Object.keys(intervals),
        default: 'k1',
        description: 'Of klines.',
      },
      seconds: {
        type: 'integer',
        minimum: 1,
        maximum: secondsMax,
        default: secondsDefault,
        description: 'How long.',
      },
      pushes: {
        type: 'integer',
        minimum: 1,
        maximum: pushesMax,
        default: pushesDefault,
        description: 'It ends when so many came.',
      },
    },
    required: ['topic', 'id'],
    additionalProperties: false,
  },
}

const parameters = ['topic', 'id', 'interval', 'seconds', 'pushes'].map((name) => ({
  name,
  isRequired: name === 'topic' || name === 'id',
}))

/** Pushes of a topic, until enough came or the time is over. */
export async function watch(tape: Tape, given: Arguments): Promise<unknown> {
  checkNames('watch', parameters, given)
  const topic = topics[String(given.topic)]
  if (topic === undefined || !topicNames.includes(String(given.topic)))
    throw new McpInputError(`topic is one of ${topicNames.join(', ')}.`)
  const seconds = countOf(given, 'seconds', secondsDefault, secondsMax)
  const pushes = countOf(given, 'pushes', pushesDefault, pushesMax)
  const interval = (given.interval ?? 'k1') as Interval
  if (!Object.hasOwn(intervals, interval))
    throw new McpInputError(`interval is one of ${Object.keys(intervals).join(', ')}.`)
  const stream = topic.open(tape, { id: String(given.id), interval, seconds, pushes })
  const items: unknown[] = []
  const timer = setTimeout(() => void stream.close(), seconds * 1_000)
  let lostCode: number | null = null
  // The caller decides whether to try again.
  const stopHearing = tape.on((event) => {
    if (event.type !== 'disconnected') return
    lostCode = event.code
    void stream.close()
  })
  try {
    for await (const item of stream) {
      items.push(kept(item as Arguments, topic.fields))
      if (items.length >= pushes) break
    }
  } finally {
    clearTimeout(timer)
    stopHearing()
  }
  if (lostCode !== null) throw new WatchLostError(lostCode)
  return { topic: given.topic, seconds, pushes: items }
}

function kept(item: Arguments, fields: readonly string[] | undefined): unknown {
  if (fields === undefined) return item
  return Object.fromEntries(fields.map((name) => [name, item[name]]))
}

function countOf(given: Arguments, name: string, fallback: number, max: number): number {
  const value = given[name] ?? fallback
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > max)
    throw new McpInputError(`${name} is a whole number from 1 to ${max}.`)
  return Number(value)
}
