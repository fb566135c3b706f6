// A proxy in front of a real node that misbehaves by a seed. Each fault depends on the seed, the
// call and the number of equal calls before, never on time. A failing run can therefore be repeated
// as far as the caller repeats its calls.
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  forward,
  gatherReceipts,
  isStateGone,
  prunedText,
  type RawBlock,
  type RpcCall,
  type RpcReply,
  rangeBlocksOf,
  refusal,
  startRpcProxy,
} from './rpcProxy.ts'

export type ChaosRates = {
  /** Share of answers that are delayed by up to 20 ms. */
  delay: number
  /** Share of failures: dropped connections, HTTP 500, or an error as answer. */
  fail: number
  /** Share of answers with HTTP 429. */
  limit: number
  /** Share of false answers: missing logs, another parent, an old head, a missing block. */
  lie: number
}

export type ChaosOptions = {
  targetUrl: string
  seed: string
  rates: ChaosRates
  /** Refuses eth_getLogs over more than this many blocks. */
  rangeBlocksMax?: number | undefined
  /** Refuses batches. */
  isBatchless?: boolean | undefined
  /** Answers eth_getBlockReceipts, assembled from single receipts of the node. */
  hasReceipts?: boolean | undefined
  /** Distance of the final block from the head. @default the node's own */
  finalizedLag?: number | undefined
  /** A lie about logs omits a single log instead of all logs of a block. @default false */
  leavesOutOneLog?: boolean | undefined
  /** Changes the node's answers, in addition to the faults by rate. @default unchanged */
  alter?: ((call: RpcCall, result: unknown) => unknown) | undefined
  /** Serves state of this many newest blocks only, like a node that is not an archive node. */
  stateBlocksMax?: number | undefined
  /**
   * Answers instead of the node when it returns a value. A promise that never resolves leaves the
   * caller waiting.
   */
  intercept?: ((call: RpcCall) => Promise<RpcReply> | undefined) | undefined
}

export type ChaosRpc = {
  url: string
  /** Number of faults and calls so far, by name. */
  counts: Map<string, number>
  /** HTTP requests so far; a batch is one. */
  requestCount(): number
  /** Lengths in blocks of the eth_getLogs ranges that were forwarded. */
  ranges: number[]
  /** Drops all connections from now on. */
  kill(): void
  setRates(rates: ChaosRates): void
  close(): Promise<void>
}

export const noChaos: ChaosRates = { delay: 0, fail: 0, limit: 0, lie: 0 }

export async function startChaosRpc(options: ChaosOptions): Promise<ChaosRpc> {
  const counts = new Map<string, number>()
  const roll = createDice(options.seed)
  const ranges: number[] = []
  let { rates } = options
  let isDead = false
  let requestCount = 0

  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

  async function answer(call: RpcCall): Promise<RpcReply> {
    const own = await ownAnswer(options, call, count)
    if (own !== null) return own
    const blocks = rangeBlocksOf(call)
    if (blocks !== null) ranges.push(blocks)
    const question = JSON.stringify([call.method, call.params])
    if (roll('error', question) < rates.fail / 2) {
      count('error')
      return refusal(call, 'Internal error', -32_603)
    }
    count(call.method)
    if (call.params[0] === 'finalized' && options.finalizedLag !== undefined)
      call.params[0] = await tagBelowHead(options.targetUrl, options.finalizedLag)
    const isReceipts = options.hasReceipts && call.method === 'eth_getBlockReceipts'
    const reply = await (isReceipts ? gatherReceipts : forward)(options.targetUrl, call)
    if (options.alter !== undefined) reply.result = options.alter(call, reply.result)
    const lie = roll('lie', question)
    if (lie < rates.lie) reply.result = distort(call, reply.result, lie / rates.lie, options, count)
    return reply
  }

  async function respond(body: string, response: ServerResponse): Promise<void> {
    requestCount += 1
    const json = JSON.parse(body) as RpcCall | RpcCall[]
    const question = JSON.stringify(json, (key, value) => (key === 'id' ? undefined : value))
    if (roll('delay', question) < rates.delay) await sleep(20 * roll('late', question))
    if (isDead) return void response.destroy()
    const fate = roll('fate', question)
    if (fate < rates.limit) {
      count('limit')
      response.writeHead(429, { 'retry-after': '0.02' }).end('slow down')
    } else if (fate < rates.limit + rates.fail / 4) {
      count('hangup')
      response.destroy()
    } else if (fate < rates.limit + rates.fail / 2) {
      count('http500')
      response.writeHead(500).end('<html>')
    } else if (Array.isArray(json) && options.isBatchless) {
      count('batch')
      const error = { code: -32_600, message: 'Invalid request' }
      response.writeHead(200).end(JSON.stringify({ id: null, error }))
    } else {
      const replies = Array.isArray(json) ? await Promise.all(json.map(answer)) : await answer(json)
      // Returns batches in another order.
      if (Array.isArray(replies)) replies.reverse()
      response.writeHead(200).end(JSON.stringify(replies))
    }
  }

  const server = await startRpcProxy(respond)
  return {
    url: server.url,
    counts,
    ranges,
    requestCount: () => requestCount,
    kill() {
      isDead = true
      server.hangUp()
    },
    setRates(next) {
      rates = next
    },
    close: server.close,
  }
}

/** The proxy's own answer; null if the node has to be asked. */
async function ownAnswer(
  options: ChaosOptions,
  call: RpcCall,
  count: (name: string) => void,
): Promise<RpcReply | null> {
  const intercepted = options.intercept?.(call)
  if (intercepted !== undefined) return await intercepted
  const blocks = rangeBlocksOf(call)
  if (blocks !== null && blocks > (options.rangeBlocksMax ?? blocks)) {
    count('range')
    return refusal(call, 'query returned more than 10000 results')
  }
  const { targetUrl, stateBlocksMax } = options
  if (stateBlocksMax === undefined || !(await isStateGone(targetUrl, call, stateBlocksMax)))
    return null
  count('pruned')
  return refusal(call, prunedText)
}

/**
 * Returns a fraction that depends on the seed, the question, its purpose and how often it was
 * asked.
 */
function createDice(seed: string): (purpose: string, question: string) => number {
  const attempts = new Map<string, number>()
  return (purpose, question) => {
    const key = `${purpose} ${question}`
    const attempt = attempts.get(key) ?? 0
    attempts.set(key, attempt + 1)
    const hash = createHash('sha256').update(`${seed} ${attempt} ${key}`).digest()
    return hash.readUInt32BE(0) / 2 ** 32
  }
}

/** A false answer as real nodes behind load balancers give. `how` is in [0, 1). */
function distort(
  call: RpcCall,
  truth: unknown,
  how: number,
  { leavesOutOneLog }: ChaosOptions,
  count: (name: string) => void,
): unknown {
  if (call.method === 'eth_getLogs' && Array.isArray(truth) && truth.length > 0) {
    const blockNumbers = truth.map(({ blockNumber }: { blockNumber: string }) => blockNumber)
    const victim = blockNumbers[Math.floor(how * blockNumbers.length)]!
    count('logsLeftOut')
    const victimAt = blockNumbers.indexOf(victim)
    return truth.filter((_, at) =>
      leavesOutOneLog ? at !== victimAt : blockNumbers[at] !== victim,
    )
  }
  if (!call.method.startsWith('eth_getBlockBy') || truth === null) return truth
  if (call.params[0] === 'latest') {
    count('oldHead')
    return {
      ...(truth as RawBlock),
      number: `0x${Math.max(0, Number((truth as RawBlock).number) - 3).toString(16)}`,
    }
  }
  if (how < 0.5) {
    count('notThere')
    return null
  }
  count('otherParent')
  const digest = createHash('sha256')
    .update((truth as RawBlock).parentHash)
    .digest('hex')
  return { ...(truth as RawBlock), parentHash: `0x${digest}` }
}

async function tagBelowHead(url: string, blocks: number): Promise<string> {
  const { result } = await forward(url, { id: 1, method: 'eth_blockNumber', params: [] })
  return `0x${Math.max(0, Number(result) - blocks).toString(16)}`
}
