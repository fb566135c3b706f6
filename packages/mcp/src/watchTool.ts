import type { Tape } from '@chaintape/client'
import type { Interval } from '@chaintape/protocol'
import { intervals } from '@chaintape/protocol'
import { type Arguments, checkNames, type Tool, ToolError } from './tool.ts'

// Clients give up on tools that take longer.
const secondsMax = 30
const secondsDefault = 10
const pushesMax = 200
const pushesDefault = 25

type Watched = AsyncIterable<unknown> & { close(): Promise<void> }

/** How each topic is streamed, and which members of an item are reported. */
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

// Pushes from now on only.
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
  title: 'Watch live',
  description:
    'Collects live pushes for some seconds and returns them at once: swaps of pairs, tokens, wallets or whole chains, liquidity, candles, prices, ranks, new pairs, launches, holders, the most traded tokens. Free.',
  inputSchema: {
    type: 'object',
    properties: {
      topic: { type: 'string', enum: topicNames },
      id: {
        type: 'string',
        description:
          'A pair_id (swaps, liquidity, klines), a token_id (token_swaps, holders), ids separated by commas (prices, wallet), or a chain (the rest). A wallet is `<address>-<chain>`.',
      },
      interval: { type: 'string', enum: Object.keys(intervals), default: 'k1' },
      seconds: { type: 'integer', minimum: 1, maximum: secondsMax, default: secondsDefault },
      pushes: {
        type: 'integer',
        minimum: 1,
        maximum: pushesMax,
        default: pushesDefault,
        description: 'Stop early after this many pushes.',
      },
    },
    required: ['topic', 'id'],
    additionalProperties: false,
    examples: [
      { topic: 'trades', id: 'eth', seconds: 15 },
      { topic: 'swaps', id: '0xa43fe16908251ee70ef74718545e4fe6c5ccec9f-eth', pushes: 5 },
    ],
  },
  outputSchema: {
    type: 'object',
    properties: {
      topic: { type: 'string' },
      seconds: { type: 'integer' },
      pushes: { type: 'array', items: { type: 'object' } },
    },
  },
  run: watch,
}

/** Pushes of a topic, until enough came or the time is over. */
async function watch(tape: Tape, given: Arguments): Promise<Record<string, unknown>> {
  checkNames('watch', given, {
    names: ['topic', 'id', 'interval', 'seconds', 'pushes'],
    required: ['topic', 'id'],
  })
  const topic = topics[String(given.topic)]
  if (topic === undefined || !topicNames.includes(String(given.topic)))
    throw new ToolError(`topic is one of ${topicNames.join(', ')}.`)
  const seconds = countOf(given, 'seconds', secondsDefault, secondsMax)
  const pushes = countOf(given, 'pushes', pushesDefault, pushesMax)
  const interval = (given.interval ?? 'k1') as Interval
  if (!Object.hasOwn(intervals, interval))
    throw new ToolError(`interval is one of ${Object.keys(intervals).join(', ')}.`)
  const stream = topic.open(tape, { id: String(given.id), interval, seconds, pushes })
  const items: unknown[] = []
  const timer = setTimeout(() => void stream.close(), seconds * 1_000)
  let lostCode: number | null = null
  // The caller decides whether to retry.
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
  if (lostCode !== null)
    throw new ToolError(
      `The WebSocket was rejected or closed (${lostCode}): all WebSockets of the key may be in use, or the service is restarting. Try again.`,
    )
  return { topic: given.topic, seconds, pushes: items }
}

function kept(item: Arguments, fields: readonly string[] | undefined): unknown {
  if (fields === undefined) return item
  return Object.fromEntries(fields.map((name) => [name, item[name]]))
}

function countOf(given: Arguments, name: string, fallback: number, max: number): number {
  const value = given[name] ?? fallback
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > max)
    throw new ToolError(`${name} is a whole number from 1 to ${max}.`)
  return Number(value)
}
