// A feed with very many subscriptions and no sockets, in a separate process to measure its memory.
import type { Subscriber } from '../../packages/server/src/gateway/feed/feed.ts'
import { noFeedOptions } from '../../packages/server/src/gateway/feed/params/feedOptions.ts'
import { createRandom } from '../../test/support/random.ts'
import { chainName, createBenchMarket, pairAddress } from './benchMarket.ts'
import { pushMark } from './pushMark.ts'
import { answerQuestions, report } from './serverProtocol.ts'

export type FeedServerOptions = { pairs: number; subscriptions: number }

export type FeedFigures = {
  event: 'feed'
  bytesEach: number
  subscribeUs: number
  unsubscribeUs: number
  /** Time of one swap through engine and feed, to its subscribers; and without subscribers. */
  publishUs: number
  quietUs: number
}

const swapsPerBlock = 8
const blocks = 2_000

answerQuestions({})
report({ event: 'ready', port: 0, control: 0 })
const { pairs, subscriptions } = JSON.parse(process.argv[2]!) as FeedServerOptions
const market = createBenchMarket(pairs)
const random = createRandom(5)
let received = 0
let seq = 0
const send = () => {
  received += 1
}

function heapBytes(): number {
  for (let left = 3; left > 0; left -= 1) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function usEach(count: number, run: (at: number) => void): number {
  const startMs = performance.now()
  for (let at = 0; at < count; at += 1) run(at)
  return ((performance.now() - startMs) * 1_000) / count
}

function publishBlock(): void {
  market.commit(
    Array.from({ length: swapsPerBlock }, () => {
      seq += 1
      return { pair: Math.floor(random() * pairs), txHash: pushMark(seq, 0n) }
    }),
  )
}

const publishEach = () => usEach(blocks, publishBlock) / swapsPerBlock

const items = Array.from({ length: pairs }, (_, pair) => ({
  key: `tx:${pairAddress(pair)}-${chainName}`,
  param: null,
}))
const socket = {}
const subscribers = Array.from(
  { length: subscriptions },
  (_, id): Subscriber => ({ id, isDetailed: false, options: noFeedOptions, socket, send }),
)
// Published twice: the first run warms up the compiler.
publishEach()
const quietUs = publishEach()
const before = heapBytes()
const subscribeUs = usEach(subscriptions, (at) =>
  market.feed.add(items[at % pairs]!, subscribers[at]!),
)
const bytesEach = (heapBytes() - before) / subscriptions
publishEach()
received = 0
const publishUs = publishEach()
const due = (blocks * swapsPerBlock * subscriptions) / pairs
if (received !== due) throw new Error(`${received} pushes were sent, not ${due}.`)
const unsubscribeUs = usEach(subscriptions, (at) =>
  market.feed.remove(items[at % pairs]!, subscribers[at]!),
)
const figures: FeedFigures = {
  event: 'feed',
  bytesEach,
  subscribeUs,
  unsubscribeUs,
  publishUs,
  quietUs,
}
process.stdout.write(`${JSON.stringify(figures)}\n`)
