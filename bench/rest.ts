// REST over a market of 100,000 tokens, against a bare node:http server that returns the same
// bodies. Server, baseline and clients are separate processes.
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import type { BareAnswer, BareOrder } from './rest/bareServer.ts'
import { type CallName, createCalls } from './rest/calls.ts'
import type { LoadAnswer, LoadOrder } from './rest/loader.ts'
import { plainPriceRows } from './rest/plainPrices.ts'
import { type BenchProcess, startProcess } from './rest/processes.ts'
import type { ServerAnswer, ServerOrder } from './rest/server.ts'

const tokenCount = 100_000
const searchedTokenCount = 1_000_000
const searchedTradedCount = 20_000
const connections = 32
const bodiesKept = 300
// Short alternating rounds: other work on the machine affects both alike.
const rounds = 8
const roundMs = 700
// Counted in requests, not in time: a token's row is encoded at its first request, and on a slow
// machine that must not be measured.
const warmRequests = 4 * tokenCount
const warmBatches = (2 * tokenCount) / 200
// For calls whose cost does not depend on the requested token.
const shortWarmRequests = 20_000
const warmTurnMs = 2_000
const bareWarmMs = 2_000
// Work left over from the previous load must not count as idle.
const settleMs = 10_000
const latencyMs = 6_000
// The 15 slowest of 1,500 searches are above the p99, so a single garbage collection does not
// decide the figure.
const searchMs = 30_000
const delayMs = 12_000
const blockEveryMs = 50
const blockSwaps = 50
const floodConnections = 16

type Server = BenchProcess<ServerOrder>
type Bare = BenchProcess<BareOrder>
type Loader = BenchProcess<LoadOrder>
type Rig = { server: Server; port: number; bare: Bare; barePort: number; loader: Loader }

type Share = { perS: number; perCpuS: number; barePerS: number; barePerCpuS: number }

const portOf = async (process: BenchProcess<never> | Server | Bare) =>
  ((await process.ready) as { port: number }).port

/** Real answers for the baseline to return. */
async function answersOf(call: CallName, port: number): Promise<string[]> {
  const next = createCalls(call, tokenCount)
  const answers: string[] = []
  while (answers.length < bodiesKept) {
    const [head = '', body = ''] = next().toString().split('\r\n\r\n')
    const [method = '', path = ''] = head.split(' ')
    const key = /X-API-KEY: (\S+)/.exec(head)![1]!
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'x-api-key': key },
      ...(body === '' ? {} : { body }),
    })
    answers.push(await answer.text())
  }
  return answers
}

async function measured(
  { loader }: Rig,
  target: Server | Bare,
  order: Omit<LoadOrder, 'tokenCount' | 'connections'>,
): Promise<LoadAnswer & { targetCpuMs: number }> {
  const before = await target.ask<{ cpuMs: number }>({ type: 'cpu' })
  const result = await loader.ask<LoadAnswer>({ ...order, tokenCount, connections })
  const after = await target.ask<{ cpuMs: number }>({ type: 'cpu' })
  if (result.failures > 0) throw new Error(`${result.failures} answers of ${order.call} failed.`)
  return { ...result, targetCpuMs: after.cpuMs - before.cpuMs }
}

async function warm(rig: Rig, call: CallName, requestsMin: number): Promise<void> {
  for (let asked = 0; asked < requestsMin; ) {
    const order = { port: rig.port, call, durationMs: warmTurnMs }
    asked += (await measured(rig, rig.server, order)).requests
  }
}

async function shareOf(rig: Rig, call: CallName, requestsMin: number): Promise<Share> {
  const bodies = await answersOf(call, rig.port)
  await rig.bare.ask<BareAnswer>({ type: 'bodies', bodies })
  await warm(rig, call, requestsMin)
  await measured(rig, rig.bare, { port: rig.barePort, call, durationMs: bareWarmMs })
  const sums = { requests: 0, s: 0, cpuS: 0, bareRequests: 0, bareS: 0, bareCpuS: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const ours = await measured(rig, rig.server, { port: rig.port, call, durationMs: roundMs })
    const bare = await measured(rig, rig.bare, { port: rig.barePort, call, durationMs: roundMs })
    sums.requests += ours.requests
    sums.s += ours.requests / ours.requestsPerS
    sums.cpuS += ours.targetCpuMs / 1_000
    sums.bareRequests += bare.requests
    sums.bareS += bare.requests / bare.requestsPerS
    sums.bareCpuS += bare.targetCpuMs / 1_000
  }
  return {
    perS: sums.requests / sums.s,
    perCpuS: sums.requests / sums.cpuS,
    barePerS: sums.bareRequests / sums.bareS,
    barePerCpuS: sums.bareRequests / sums.bareCpuS,
  }
}

function shareRow(metric: string, share: Share, goal: string): BenchRow {
  const { perS, perCpuS, barePerS, barePerCpuS } = share
  const percent = (ours: number, bare: number) => `${Math.round((ours / bare) * 100)} %`
  return {
    metric,
    value:
      `${percent(perS, barePerS)} (${countText(perS)}/s); by processor second ` +
      `${percent(perCpuS, barePerCpuS)} (${countText(perCpuS)} of ${countText(barePerCpuS)})`,
    goal,
  }
}

async function latencyRow(
  rig: Rig,
  call: CallName,
  ratePerS: number,
  metric: string,
): Promise<BenchRow> {
  const { p50Ms, p99Ms } = await measured(rig, rig.server, {
    port: rig.port,
    call,
    durationMs: latencyMs,
    ratePerS,
  })
  return {
    metric: `${metric}, ${ratePerS}/s`,
    value: `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)} ms`,
  }
}

async function delaysOf(server: Server): Promise<{ p50: number; p99: number; count: number }> {
  const { delays } = await server.ask<Extract<ServerAnswer, { type: 'delays' }>>({
    type: 'delays',
  })
  const sorted = delays.map(({ allMs }) => allMs).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99), count: sorted.length }
}

/**
 * Block latency while no requests arrive, and while the most expensive calls arrive as fast as they
 * are answered.
 */
async function floodRows({ server, port, loader }: Rig): Promise<BenchRow[]> {
  await server.ask({ type: 'blocks', everyMs: blockEveryMs, swaps: blockSwaps })
  const idle: { p50: number; p99: number }[] = []
  const flooded: { p50: number; p99: number }[] = []
  let answered = 0
  for (let round = 0; round < 2; round += 1) {
    await new Promise((done) => setTimeout(done, settleMs))
    await delaysOf(server)
    await new Promise((done) => setTimeout(done, delayMs))
    idle.push(await delaysOf(server))
    const { requests } = await loader.ask<LoadAnswer>({
      port,
      call: 'heavy',
      tokenCount,
      connections: floodConnections,
      durationMs: delayMs,
    })
    answered += requests
    flooded.push(await delaysOf(server))
  }
  await server.ask({ type: 'blocks', everyMs: 0, swaps: 0 })
  const text = (of: { p50: number; p99: number }[]) =>
    of.map(({ p50, p99 }) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`).join(', ')
  const mean = (of: { p99: number }[]) => of.reduce((sum, { p99 }) => sum + p99, 0) / of.length
  return [
    { metric: 'block to last push, p50 / p99, nobody asks', value: text(idle) },
    { metric: `the same in a flood (${answered} heavy calls)`, value: text(flooded) },
    {
      metric: 'p99 in the flood against idle',
      value: `${(mean(flooded) / mean(idle)).toFixed(2)}x`,
      goal: 'at most 2x',
    },
  ]
}

async function searchRow(loader: Loader): Promise<BenchRow> {
  const server = startProcess<ServerOrder>('./server.ts', [searchedTokenCount, searchedTradedCount])
  const port = await portOf(server)
  const order = { port, call: 'search' as const, tokenCount, connections: 4 }
  await loader.ask<LoadAnswer>({ ...order, durationMs: 4_000 })
  const { p50Ms, p99Ms } = await loader.ask<LoadAnswer>({
    ...order,
    durationMs: searchMs,
    ratePerS: 50,
  })
  server.stop()
  return {
    metric: 'search over 1,000,000 tokens, limit 50, 50/s',
    value: `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)} ms`,
    goal: 'p99 under 10 ms',
  }
}

export const restParts = ['shares', 'plain', 'latency', 'flood', 'search'] as const
export type RestPart = (typeof restParts)[number]

type Shares = readonly (readonly [
  metric: string,
  call: CallName,
  requestsMin: number,
  goal: string,
])[]

const quietShares: Shares = [
  ['token detail, tokens by rank', 'tokenDetailZipf', warmRequests, '60 %'],
  ['token detail, 2,000 tokens, plan with limits', 'tokenDetailLimited', shortWarmRequests, '60 %'],
  ['token detail, any of 100,000', 'tokenDetail', warmRequests, ''],
  ['price batch of 200, tokens by rank', 'priceBatchZipf', warmBatches, '25 %'],
  ['price batch of 200, any tokens', 'priceBatch', warmBatches, ''],
]
const busyShares: Shares = [
  ['token detail by rank, a block a second', 'tokenDetailZipf', shortWarmRequests, ''],
  ['price batch by rank, a block a second', 'priceBatchZipf', warmBatches, ''],
]
const latencies: readonly [call: CallName, ratePerS: number, metric: string][] = [
  ['tokenDetailZipf', 1_000, 'token detail, p50 / p99'],
  ['priceBatchZipf', 200, 'price batch of 200, p50 / p99'],
  ['search', 50, 'search limit 50, p50 / p99'],
  ['trending', 50, 'trending page of 50, p50 / p99'],
]

/** Prints each result at once: a run takes minutes and may be aborted. */
function printed(row: BenchRow): BenchRow {
  console.error(`${row.metric}: ${row.value}`)
  return row
}

async function shareRows(rig: Rig, shares: Shares): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const [metric, call, requestsMin, goal] of shares) {
    const share = await shareOf(rig, call, requestsMin)
    rows.push(printed(shareRow(`${metric}, of bare node:http`, share, goal)))
  }
  return rows
}

/** All parts except the search, which needs another market. */
async function marketRows(loader: Loader, parts: readonly RestPart[]): Promise<BenchRow[]> {
  const server = startProcess<ServerOrder>('./server.ts', [tokenCount])
  const bare = startProcess<BareOrder>('./bareServer.ts')
  const rig = { server, port: await portOf(server), bare, barePort: await portOf(bare), loader }
  const rows: BenchRow[] = []
  if (parts.includes('shares')) rows.push(...(await shareRows(rig, quietShares)))
  await server.ask({ type: 'blocks', everyMs: 1_000, swaps: blockSwaps })
  if (parts.includes('shares')) rows.push(...(await shareRows(rig, busyShares)))
  if (parts.includes('latency'))
    for (const latency of latencies) rows.push(printed(await latencyRow(rig, ...latency)))
  await server.ask({ type: 'blocks', everyMs: 0, swaps: 0 })
  if (parts.includes('flood')) rows.push(...(await floodRows(rig)).map(printed))
  server.stop()
  bare.stop()
  return rows
}

export async function runRestBench(parts: readonly RestPart[] = restParts): Promise<BenchTable> {
  const loader = startProcess<LoadOrder>('./loader.ts')
  await loader.ready
  const rows: BenchRow[] = []
  if (parts.includes('plain')) rows.push(...(await plainPriceRows(tokenCount)).map(printed))
  const isServed = parts.some((part) => part !== 'search' && part !== 'plain')
  if (isServed) rows.push(...(await marketRows(loader, parts)))
  if (parts.includes('search')) rows.push(printed(await searchRow(loader)))
  loader.stop()
  return { name: 'REST, 100,000 tokens', rows }
}
