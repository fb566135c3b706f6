// The whole program at the head of a busy chain: blocks of 3,000 logs at a chain's pace, then
// bursts. Measures CPU use, latency of pushes, and that no push is missing or out of order. Then
// the same with small blocks five times a second, compared with a raw subscriber of the node.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import { startProgram, testApiKey } from '../test/support/program.ts'
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import {
  type Mined,
  poolCount,
  startTipNode,
  type TipNode,
  writeBusyConfig,
} from './tip/startTipNode.ts'

const blockMs = 2_000
const steady = { blocks: 20, swaps: 400, logs: 3_000 }
const burst = { blocks: 10, swaps: 2_000, logs: 12_000, everyMs: 1_000 }
const warmBlocks = 10
// Base's block interval since its upgrade Denim. A block's pushes should arrive before the next
// block.
const fastBlockMs = 200
const fast = { blocks: 150, swaps: 40, logs: 300 }
const fastBurst = { blocks: 50, swaps: 400, logs: 2_400 }

/** CPU time of a process and all its descendants. */
function cpuMsOf(pid: number): number {
  const ofParent = new Map<number, number[]>()
  const times = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const parent = Number(fields[1])
      ofParent.set(parent, [...(ofParent.get(parent) ?? []), Number(name)])
      times.set(Number(name), (Number(fields[11]) + Number(fields[12])) * 10)
    } catch {
      // The process ended meanwhile.
    }
  }
  const sum = (of: number): number =>
    (ofParent.get(of) ?? []).reduce((total, child) => total + sum(child), times.get(of) ?? 0)
  return sum(pid)
}

const ownMs = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

type Follower = {
  count: number
  faults: number
  /** Arrival of a block's last push, by block number. */
  lastAtMs: Map<number, number>
  close(): void
}

/** Subscribes to every trade of the chain and checks the order. */
async function follow(address: string): Promise<Follower> {
  const url = `${address.replace('http', 'ws')}/ws`
  const socket = new WebSocket(url, { headers: { 'X-API-KEY': testApiKey } })
  const follower: Follower = {
    count: 0,
    faults: 0,
    lastAtMs: new Map(),
    close: () => socket.close(),
  }
  let before = [-1, -1]
  socket.on('message', (data) => {
    const { result } = JSON.parse(String(data)) as { result?: { tx?: Record<string, unknown> } }
    if (result?.tx === undefined) return
    const { block_number: block, id } = result.tx as { block_number: number; id: string }
    follower.count += 1
    const place = id.split('-').map(Number)
    const isNext = place[0]! > before[0]! || (place[0] === before[0] && place[1]! > before[1]!)
    if (!isNext) follower.faults += 1
    before = place
    follower.lastAtMs.set(block, Date.now())
  })
  await new Promise((done) => socket.once('open', done))
  const request = { method: 'subscribe', params: ['trades', 'busy'], id: 1 }
  socket.send(JSON.stringify({ jsonrpc: '2.0', ...request }))
  await new Promise((done) => socket.once('message', done))
  return follower
}

async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await sleep(5)
}

/** Minimal work of following a chain: fetches a block with its logs and parses them. */
async function bareFollow({ httpUrl }: TipNode, number: number): Promise<void> {
  const hex = `0x${number.toString(16)}`
  const params = [
    ['eth_getBlockByNumber', [hex, true]],
    ['eth_getLogs', [{ fromBlock: hex, toBlock: hex }]],
  ] as const
  const asked = params.map(([method, of], id) => ({ jsonrpc: '2.0', id, method, params: of }))
  const answers = asked.map(async (one) =>
    (await fetch(httpUrl, { method: 'POST', body: JSON.stringify(one) })).json(),
  )
  await Promise.all(answers)
}

const percentOf = (cpuMs: number, ms: number) => `${Math.round((100 * cpuMs) / ms)} %`
const at = (sorted: readonly number[], share: number) =>
  sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(0)

type Rig = { node: TipNode; pid: number; follower: Follower }

type RawSubscriber = { announcedAtMs: ReadonlyMap<number, number>; close(): void }

/** Subscribes to new heads at the node directly. */
async function subscribeRaw({ wsUrl }: TipNode): Promise<RawSubscriber> {
  const socket = new WebSocket(wsUrl)
  const announcedAtMs = new Map<number, number>()
  await new Promise((done) => socket.once('open', done))
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  await new Promise((done) => socket.once('message', done))
  socket.on('message', (data) => {
    const { params } = JSON.parse(String(data)) as { params: { result: { number: string } } }
    announcedAtMs.set(Number(params.result.number), Date.now())
  })
  return { announcedAtMs, close: () => socket.close() }
}

async function steadyRows({ node, pid, follower }: Rig): Promise<BenchRow[]> {
  await node.prepare(steady.blocks, steady)
  const [startMs, allMs, serviceMs] = [performance.now(), cpuMsOf(pid), ownMs(pid)]
  const lates: number[] = []
  let bareMs = 0
  for (let block = 0; block < steady.blocks; block += 1) {
    const minedAtMs = Date.now()
    const { number, swapCount } = await node.mine()
    await until(() => follower.count >= swapCount)
    lates.push(follower.lastAtMs.get(number)! - minedAtMs)
    const before = process.cpuUsage()
    await bareFollow(node, number)
    const { user, system } = process.cpuUsage(before)
    bareMs += (user + system) / 1_000
    await sleep(Math.max(0, minedAtMs + blockMs - Date.now()))
  }
  const tookMs = performance.now() - startMs
  const [all, service] = [cpuMsOf(pid) - allMs, ownMs(pid) - serviceMs]
  lates.sort((a, b) => a - b)
  const perS = (steady.swaps * 1_000) / blockMs
  return [
    {
      metric: `${countText(perS)} swaps/s in blocks of ${countText(steady.logs)} logs: share of a core, service; with its database`,
      value: `${percentOf(service, tookMs)}; ${percentOf(all, tookMs)}`,
      goal: '50 %',
    },
    {
      metric:
        'the same of a bare follower, which fetches and parses these blocks; service against it',
      value: `${percentOf(bareMs, tookMs)}; ${(service / bareMs).toFixed(1)}x`,
    },
    {
      metric: 'from mining a block to the last push of its swaps, p50 / p99',
      value: `${at(lates, 0.5)} / ${at(lates, 0.99)} ms`,
    },
  ]
}

async function burstRow({ node, follower }: Rig): Promise<BenchRow> {
  await node.prepare(burst.blocks, burst)
  let last: Mined | undefined
  const startMs = Date.now()
  for (let block = 0; block < burst.blocks; block += 1) {
    last = await node.mine()
    await sleep(Math.max(0, startMs + (block + 1) * burst.everyMs - Date.now()))
  }
  const endMs = Date.now()
  await until(() => follower.count >= last!.swapCount)
  const perS = (burst.swaps * 1_000) / burst.everyMs
  return {
    metric: `${countText(perS)} swaps/s for ${burst.blocks} s: drained after the last block's second by; pushes missing or out of order`,
    value: `${Math.max(0, Date.now() - endMs)} ms; ${follower.faults + last!.swapCount - follower.count}`,
    goal: 'in order, none missing',
  }
}

async function fastRows({ node, follower }: Rig): Promise<BenchRow[]> {
  const raw = await subscribeRaw(node)
  const rows: BenchRow[] = []
  for (const { blocks, ...order } of [fast, fastBurst]) {
    await node.prepare(blocks, order)
    const startMs = Date.now()
    const all: Mined[] = []
    for (let block = 0; block < blocks; block += 1) {
      all.push(await node.mine())
      await sleep(Math.max(0, startMs + (block + 1) * fastBlockMs - Date.now()))
    }
    const [first, last] = [all[0]!, all.at(-1)!]
    await until(() => follower.count >= last.swapCount)
    const lates = all.map(
      ({ number }) => follower.lastAtMs.get(number)! - raw.announcedAtMs.get(number)!,
    )
    lates.sort((a, b) => a - b)
    const perS = (order.swaps * 1_000) / fastBlockMs
    const pace = `5 blocks/s with ${countText(perS)} swaps/s`
    const spanS = ((blocks - 1) * fastBlockMs) / 1_000
    const rate = (name: 'requests' | 'calls') =>
      ((last.asked[name] - first.asked[name]) / spanS).toFixed(1)
    rows.push(
      {
        metric: `${pace}: the last push of a block behind a raw subscriber of its head, p50 / p99`,
        value: `${at(lates, 0.5)} / ${at(lates, 0.99)} ms`,
        goal: '150 ms',
      },
      {
        metric: `${pace}: HTTP requests and JSON-RPC calls a second`,
        value: `${rate('requests')} and ${rate('calls')}`,
        goal: '15',
      },
    )
  }
  raw.close()
  return rows
}

const allParts = ['steady', 'burst', 'fast']

/** `asked`: parts to measure; all without any name. */
export async function runTipBench(asked: readonly string[] = []): Promise<BenchTable> {
  const parts = allParts.filter((part) => asked.includes(part))
  const isWanted = (part: string) => parts.length === 0 || parts.includes(part)
  const node = await startTipNode()
  const dataDir = await mkdtemp(join(tmpdir(), 'chaintape-bench-'))
  await node.prepare(1, { swaps: 0, logs: 0 })
  await node.mine()
  const program = await startProgram(dataDir, ['--config', await writeBusyConfig(dataDir, node)])
  const follower = await follow(program.ready.address)
  const rig = { node, pid: program.child.pid!, follower }
  try {
    await node.prepare(warmBlocks, steady)
    for (let block = 0; block < warmBlocks; block += 1) {
      const { swapCount } = await node.mine()
      await until(() => follower.count >= swapCount)
    }
    const rows: BenchRow[] = []
    if (isWanted('steady')) rows.push(...(await steadyRows(rig)))
    if (isWanted('burst')) rows.push(await burstRow(rig))
    if (isWanted('fast')) rows.push(...(await fastRows(rig)))
    return { name: `the head of a busy chain, ${poolCount} pools`, rows }
  } finally {
    follower.close()
    program.child.kill('SIGTERM')
    await program.ended
    node.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
