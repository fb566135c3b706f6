// A proxy in front of a real node that misbehaves by a seed: what it does to a call depends on the
// seed, the call and how often that call came before, never on time. So a failing run can be repeated
// as far as the asking side asks the same.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

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
  alter?: ((call: ChaosCall, result: unknown) => unknown) | undefined
  /** Has no state of blocks further behind its head, as a node that is no archive. */
  stateBlocksMax?: number | undefined
  /** Answers in the node's place where it gives something; a promise that never ends leaves the caller without an answer. */
  intercept?: ((call: ChaosCall) => Promise<ChaosReply> | undefined) | undefined
}

export type ChaosRpc = {
  url: string
  /** What was done so far, by name. */
  counts: Map<string, number>
  /** eth_getLogs ranges that were let through, in blocks. */
  ranges: number[]
  /** From now on hangs up on everyone. */
  kill(): void
  setRates(rates: ChaosRates): void
  close(): Promise<void>
}

export type ChaosCall = { id: unknown; method: string; params: unknown[] }
export type ChaosReply = {
  id?: unknown
  result?: unknown
  error?: { code: number; message: string }
}

export const noChaos: ChaosRates = { delay: 0, fail: 0, limit: 0, lie: 0 }

export async function startChaosRpc(options: ChaosOptions): Promise<ChaosRpc> {
  const counts = new Map<string, number>()
  const roll = createDice(options.seed)
  const ranges: number[] = []
  let { rates } = options
  let isDead = false

  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

  async function answer(call: ChaosCall): Promise<ChaosReply> {
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
    const json = JSON.parse(body) as ChaosCall | ChaosCall[]
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

  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => respond(body, response))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    ranges,
    kill() {
      isDead = true
      server.closeAllConnections()
    },
    setRates(next) {
      rates = next
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

/** What the node itself is not asked for. */
async function ownAnswer(
  options: ChaosOptions,
  call: ChaosCall,
  count: (name: string) => void,
): Promise<ChaosReply | null> {
  const intercepted = options.intercept?.(call)
  if (intercepted !== undefined) return await intercepted
  const blocks = rangeBlocksOf(call)
  if (blocks !== null && blocks > (options.rangeBlocksMax ?? blocks)) {
    count('range')
    return refusal(call, 'query returned more than 10000 results')
  }
  if (!(await isPruned(options, call))) return null
  count('pruned')
  return refusal(call, prunedText)
}

// As a node says it that keeps the state of its newest blocks alone.
const prunedText = 'missing trie node 5bd7 (path ) state 0x5bd7 is not available, not found'

function refusal({ id }: ChaosCall, message: string, code = -32_000): ChaosReply {
  return { id, error: { code, message } }
}

function rangeBlocksOf({ method, params }: ChaosCall): number | null {
  const filter = params[0] as { fromBlock?: string; toBlock?: string } | undefined
  if (method !== 'eth_getLogs' || filter?.fromBlock === undefined) return null
  return Number(filter.toBlock) - Number(filter.fromBlock) + 1
}

const stateMethods = ['eth_call', 'eth_getCode', 'eth_getBalance']

async function isPruned(
  { targetUrl, stateBlocksMax }: ChaosOptions,
  call: ChaosCall,
): Promise<boolean> {
  const at = call.params[1] as string | { blockHash: string } | undefined
  if (stateBlocksMax === undefined || !stateMethods.includes(call.method)) return false
  if (at === undefined || at === 'latest') return false
  const ask = async (method: string, params: unknown[]) =>
    (await forward(targetUrl, { id: 0, method, params })).result
  const block =
    typeof at === 'string'
      ? { number: at }
      : ((await ask('eth_getBlockByHash', [at.blockHash, false])) as Block | null)
  if (block === null) return false
  const behind = Number(await ask('eth_blockNumber', [])) - Number(block.number)
  // By its number the head is what "latest" says, which every node has.
  return behind > (typeof at === 'string' ? Math.max(0, stateBlocksMax) : stateBlocksMax)
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

type Block = { number: string; parentHash: string }

/** A false answer of the kind that real nodes behind load balancers give. `how` is in [0, 1). */
function distort(
  call: ChaosCall,
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
      ...(truth as Block),
      number: `0x${Math.max(0, Number((truth as Block).number) - 3).toString(16)}`,
    }
  }
  if (how < 0.5) {
    count('notThere')
    return null
  }
  count('otherParent')
  const digest = createHash('sha256')
    .update((truth as Block).parentHash)
    .digest('hex')
  return { ...(truth as Block), parentHash: `0x${digest}` }
}

async function forward(url: string, call: ChaosCall): Promise<ChaosReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', ...call }),
  })
  return (await response.json()) as ChaosReply
}

async function tagBelowHead(url: string, blocks: number): Promise<string> {
  const { result } = await forward(url, { id: 1, method: 'eth_blockNumber', params: [] })
  return `0x${Math.max(0, Number(result) - blocks).toString(16)}`
}

async function gatherReceipts(url: string, { id, params }: ChaosCall): Promise<ChaosReply> {
  const isHash = String(params[0]).length === 66
  const method = isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const { result } = await forward(url, { id, method, params: [params[0], false] })
  if (result === null) return { id, result }
  const { transactions } = result as { transactions: string[] }
  const receipts = transactions.map((hash) =>
    forward(url, { id, method: 'eth_getTransactionReceipt', params: [hash] }),
  )
  return { id, result: (await Promise.all(receipts)).map((reply) => reply.result) }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
