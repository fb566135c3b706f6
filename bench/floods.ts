// Latency of a good client's answers and pushes while other clients misbehave.
import type { BenchRow, BenchTable } from './benchTable.ts'
import { type FloodName, type FloodOrder, floodNames } from './floods/floodNames.ts'
import type { GoodAnswer, GoodOrder, Waits } from './floods/goodClient.ts'
import { startProcess } from './rest/processes.ts'

const tokenCount = 20_000
const blockEveryMs = 100
const durationMs = 6_000
const warmMs = 3_000
// Time for the effects of a flood to end.
const settleMs = 2_000

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

const waitsText = ({ p50Ms, p99Ms, worstMs }: Waits) =>
  `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)} / ${worstMs.toFixed(1)} ms`

const ratio = (flooded: number, idle: number) => `${(flooded / Math.max(idle, 0.1)).toFixed(1)}x`

function rowOf(name: string, { rest, pushes }: GoodAnswer, idle: GoodAnswer): BenchRow {
  const restRatios = `${ratio(rest.p99Ms, idle.rest.p99Ms)}, ${ratio(rest.worstMs, idle.rest.worstMs)}`
  const pushRatios = `${ratio(pushes.p99Ms, idle.pushes.p99Ms)}, ${ratio(pushes.worstMs, idle.pushes.worstMs)}`
  return {
    metric: name,
    value: `answers ${waitsText(rest)} (${restRatios}); pushes late by ${waitsText(pushes)} (${pushRatios})`,
    goal: 'p99 at most 2x',
  }
}

/** `words`: runs only floods whose names contain one of these words. */
export async function runFloodsBench(words: readonly string[]): Promise<BenchTable> {
  const server = startProcess<never>('../floods/server.ts', [tokenCount, blockEveryMs])
  const good = startProcess<GoodOrder>('../floods/goodClient.ts')
  const flooder = startProcess<FloodOrder>('../floods/flooder.ts')
  const { port, pairs } = (await server.ready) as { port: number; pairs: string[] }
  await Promise.all([good.ready, flooder.ready])
  const measure = (ms: number) => good.ask<GoodAnswer>({ port, durationMs: ms, blockEveryMs })

  async function flooded(flood: FloodName): Promise<GoodAnswer> {
    await flooder.ask({ type: 'start', flood, port, pairs })
    const waits = await measure(durationMs)
    await flooder.ask({ type: 'stop' })
    await pause(settleMs)
    return waits
  }

  await measure(warmMs)
  const idle = await measure(durationMs)
  const rows: BenchRow[] = [
    {
      metric: 'p50 / p99 / worst with nobody else',
      value: `answers ${waitsText(idle.rest)}; pushes late by ${waitsText(idle.pushes)}`,
    },
  ]
  for (const flood of floodNames) {
    if (!words.some((word) => flood.includes(word))) continue
    const row = rowOf(flood, await flooded(flood), idle)
    console.error(`${row.metric}: ${row.value}`)
    rows.push(row)
  }
  for (const each of [server, good, flooder]) each.stop()
  return { name: 'a good client beside floods', rows }
}
