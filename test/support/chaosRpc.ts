// A proxy in front of a real node that misbehaves by a seed: what it does to a call depends on the
// seed, the call and how often that call came before, never on time. So a failing run can be repeated
// as far as the asking side asks the same.
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
  /** Answers late, by up to 20 ms. */
  delay: number
  /** Hangs up, answers HTTP 500, or an error inside the answer. */
  fail: number
  /** HTTP 429. */
  limit: number
  /** Left out logs, another parent, an old head, a block that is not there. */
  lie: number
}

export type ChaosOptions = {
  targetUrl: string
  seed: string
  rates: ChaosRates
  /** Refuses eth_getLogs over more blocks. */
  rangeBlocksMax?: number | undefined
  /** Refuses batches. */
  isBatchless?: boolean | undefined
  /** Answers eth_getBlockReceipts, put together from what the node has. */
  hasReceipts?: boolean | undefined
  /** Blocks that the node's final block is behind its head. @default as the node says */
  finalizedLag?: number | undefined
  /** A lie about logs leaves out one log, not all of a block. @default false */
  leavesOutOneLog?: boolean | undefined
  /** What it makes of the node's answer, beside what the rates say. @default the answer itself */
  alter?: ((call: RpcCall, result: unknown) => unknown) | undefined
  /** Has no state of blocks further behind its head, as a node that is no archive. */
  stateBlocksMax?: number | undefined
  /** Answers in the node's place where it gives something; a promise that never ends leaves the caller without an answer. */
  intercept?: ((call: RpcCall) => Promise<RpcReply> | undefined) | undefined
}

export type ChaosRpc = {
  url: string
  /** What was done so far, by name. */
  counts: Map<string, number>
  /** HTTP requests so far; a batch is one. */
  requestCount(): number
  /** eth_getLogs ranges that were let through, in blocks. */
  ranges: number[]
  /** From now on hangs up on everyone. */
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
      // Batches come back in another order.
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

/** What the node itself is not asked for. */
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

/** Gives a fraction that depends on the seed, the question, its purpose and how often it was put. */
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

/** A false answer of the kind that real nodes behind load balancers give. `how` is in [0, 1). */
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
