// Swaps applied per second with many pairs, bytes per pair, and a plain engine as baseline.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createEngine, type Engine } from '../packages/server/src/engine/engine.ts'
import type { BlockRef } from '../packages/server/src/model/block.ts'
import type { ChainProfile } from '../packages/server/src/model/chainProfile.ts'
import type { FinishedBlock, FinishedEvent } from '../packages/server/src/model/finishedBlock.ts'
import { generatorProfile } from '../test/support/blockGenerator.ts'
import { pairDefaults } from '../test/support/pairDefaults.ts'
import { createRandom } from '../test/support/random.ts'
import { type BenchTable, countText } from './benchTable.ts'
import { createNaiveEngine } from './naiveEngine.ts'

const swapsPerBlock = 250
const blockTimeS = 12
const walletCount = 200_000
// One day of blocks, so that buckets expire during the measurement.
const warmSwaps = (86_400 / blockTimeS) * swapsPerBlock
// Long enough for several collections of the whole heap at a million pairs: with few, a single
// collection would decide the result.
const measuredSwaps = 2_000_000
// No larger than a block of a real chain: a block whose events live long teaches V8 to tenure the
// events of all blocks.
const populateStep = 1_000

type Applies = { apply(entry: { type: 'commit'; block: FinishedBlock }): unknown }

/** A chain of pairs against the wrapped native token, traded by Zipf's law. */
class Chain {
  private readonly random = createRandom(7)
  /** Two 64-bit words per reserve: bigints would be garbage that counts against the engine. */
  private reserves = new BigUint64Array(1 << 16)
  private readonly wallets: string[] = []
  private head: BlockRef = {
    number: 0,
    hash: 'h0',
    timeS: 1_700_000_000,
    parentNumber: -1,
    parentHash: 'genesis',
  }

  constructor() {
    for (let index = 0; index < walletCount; index += 1) this.wallets.push(address(this.random))
  }

  private block(parts: Partial<FinishedBlock>, stepS: number): FinishedBlock {
    const { number, hash, timeS } = this.head
    this.head = {
      number: number + 1,
      hash: `h${number + 1}`,
      parentNumber: number,
      parentHash: hash,
      timeS: timeS + stepS,
    }
    return {
      ref: this.head,
      receivedMs: this.head.timeS * 1_000,
      tokens: [],
      pairs: [],
      events: [],
      supplies: [],
      nativeUsd: null,
      ...parts,
    }
  }

  tokens(from: number, count: number): FinishedBlock {
    const tokens = Array.from({ length: count }, (_, index) => {
      const id = from + index
      const symbol = id === 0 ? 'WETH' : id === 1 ? 'USDC' : word(this.random, 3 + (id % 4))
      return {
        id,
        address: id < 4 ? `token-${id}` : address(this.random),
        symbol,
        name: id < 4 ? symbol : `${symbol} ${word(this.random, 5)}`,
        decimals: id === 1 || id === 2 ? 6 : 18,
        isUnreadable: false,
        seenAtS: this.head.timeS,
      }
    })
    return this.block({ tokens }, 0)
  }

  /** Pair n trades token n + 4 against the native token; pair 0 trades the native token for USD. */
  pairs(from: number, count: number): FinishedBlock {
    const events: FinishedEvent[] = []
    const pairs = Array.from({ length: count }, (_, index) => {
      const id = from + index
      const reserve0 = id === 0 ? 10n ** 23n : 10n ** 27n + BigInt(id)
      const reserve1 = id === 0 ? 3n * 10n ** 14n : 10n ** 20n
      this.setReserves(id, reserve0, reserve1)
      const priceRaw = Number(reserve1) / Number(reserve0)
      events.push({ type: 'sync', index, pairId: id, reserve0, reserve1, priceRaw })
      return {
        id,
        address: address(this.random),
        kind: 'constantProduct' as const,
        token0Id: id === 0 ? 0 : id + 3,
        token1Id: id === 0 ? 1 : 0,
        factory: 'factory',
        amm: 'uniswapv2',
        isTrusted: true,
        feePpm: 3_000,
        createdAtS: this.head.timeS,
        platform: null,
        ...pairDefaults,
      }
    })
    return this.block({ pairs, events }, 0)
  }

  swaps(count: number, pick: (index: number) => number, stepS: number): FinishedBlock {
    const events = Array.from({ length: count }, (_, index) => this.swap(index, pick(index)))
    return this.block({ events }, stepS)
  }

  zipf(pairCount: number): number {
    return Math.min(pairCount - 1, Math.floor(pairCount ** this.random()))
  }

  /** Memory that the engine holds for the pairs. */
  get bytes(): number {
    return this.reserves.byteLength
  }

  private reserve(at: number): bigint {
    return (this.reserves[at + 1]! << 64n) | this.reserves[at]!
  }

  private setReserves(pairId: number, reserve0: bigint, reserve1: bigint): void {
    const at = pairId * 4
    if (at >= this.reserves.length) {
      const grown = new BigUint64Array(this.reserves.length * 2)
      grown.set(this.reserves)
      this.reserves = grown
    }
    this.reserves[at] = reserve0
    this.reserves[at + 1] = reserve0 >> 64n
    this.reserves[at + 2] = reserve1
    this.reserves[at + 3] = reserve1 >> 64n
  }

  private swap(index: number, pairId: number): FinishedEvent {
    const isIn0 = this.random() < 0.5
    const reserve0 = this.reserve(pairId * 4)
    const reserve1 = this.reserve(pairId * 4 + 2)
    const share = BigInt(1 + Math.floor(this.random() * 40))
    const amountIn = ((isIn0 ? reserve0 : reserve1) * share) / 10_000n
    const amountOut = isIn0
      ? (reserve1 * amountIn) / (reserve0 + amountIn)
      : (reserve0 * amountIn) / (reserve1 + amountIn)
    const after0 = isIn0 ? reserve0 + amountIn : reserve0 - amountOut
    const after1 = isIn0 ? reserve1 - amountOut : reserve1 + amountIn
    this.setReserves(pairId, after0, after1)
    const wallet = this.wallets[Math.floor(this.random() * walletCount)]!
    return {
      type: 'swap',
      index,
      txHash: '0xabc',
      wallet,
      pairId,
      sender: wallet,
      to: wallet,
      amount0: isIn0 ? amountIn : -amountOut,
      amount1: isIn0 ? -amountOut : amountIn,
      reserve0: after0,
      reserve1: after1,
      priceRaw: Number(after1) / Number(after0),
      holding0: null,
      holding1: null,
      native: null,
      accountFlags: 0,
    }
  }
}

function address(random: () => number): string {
  let text = '0x'
  while (text.length < 42)
    text += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return Buffer.from(text, 'latin1').toString('latin1')
}

function word(random: () => number, length: number): string {
  let text = ''
  while (text.length < length) text += String.fromCharCode(65 + Math.floor(random() * 26))
  return text
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  gc()
}

function usedBytes(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Adds tokens and pairs. Returns the bytes that each takes in the engine. */
function populate(engine: Applies, chain: Chain, pairCount: number) {
  const step = populateStep
  const apply = (block: FinishedBlock) => engine.apply({ type: 'commit', block })
  const start = usedBytes()
  for (let from = 0; from < pairCount + 4; from += step)
    apply(chain.tokens(from, Math.min(step, pairCount + 4 - from)))
  const withTokens = usedBytes()
  const chainBytes = chain.bytes
  for (let from = 0; from < pairCount; from += step)
    apply(chain.pairs(from, Math.min(step, pairCount - from)))
  for (let left = generatorProfile.reorgDepthMax; left > 0; left -= 1)
    apply(chain.swaps(0, () => 0, 1))
  const reserveBytes = (chain.bytes - chainBytes) / pairCount
  return {
    token: (withTokens - start) / pairCount,
    pair: (usedBytes() - withTokens) / pairCount - reserveBytes,
  }
}

/** An engine with pairs that have traded, for other benches. */
export function populatedEngine(profile: ChainProfile, pairCount: number): Engine {
  const chain = new Chain()
  const engine = createEngine({ profile })
  populate(engine, chain, pairCount)
  measureSwaps(engine, chain, pairCount, pairCount)
  return engine
}

type Rate = { perSecond: number; perCpuSecond: number }

/**
 * Only time inside apply counts. On a busy machine wall time is too long. CPU time, including the
 * garbage collector's threads, is close to wall time on a quiet one.
 */
function measureSwaps(engine: Applies, chain: Chain, pairCount: number, swaps: number): Rate {
  let elapsedMs = 0
  let cpuUs = 0
  for (let done = 0; done < swaps; done += swapsPerBlock) {
    const block = chain.swaps(swapsPerBlock, () => chain.zipf(pairCount), blockTimeS)
    const startMs = performance.now()
    const startCpu = process.cpuUsage()
    engine.apply({ type: 'commit', block })
    elapsedMs += performance.now() - startMs
    const { user, system } = process.cpuUsage(startCpu)
    cpuUs += user + system
  }
  return { perSecond: swaps / (elapsedMs / 1e3), perCpuSecond: swaps / (cpuUs / 1e6) }
}

/** Bytes of a pair that trades every minute of a day, by a thousand wallets a day or more. */
function busyPairBytes(engine: Engine, chain: Chain): number {
  const count = 100
  const start = usedBytes()
  for (let minute = 0; minute < 1_440; minute += 1) {
    const block = chain.swaps(count * 2, (index) => index >> 1, 60)
    engine.apply({ type: 'commit', block })
  }
  return (usedBytes() - start) / count
}

type Growth = { pairsPerCpuSecond: number; longestMs: number; heapCollections: number }

const growthPerBlock = 125

/**
 * Every block adds pairs that then trade, so that tables and logs grow by a page every few blocks.
 */
async function measureGrowth(
  engine: Engine,
  chain: Chain,
  { from, to }: { from: number; to: number },
): Promise<Growth> {
  let cpuUs = 0
  let longestMs = 0
  let heapCollections = 0
  const apply = (block: FinishedBlock) => {
    const startMs = performance.now()
    const startCpu = process.cpuUsage()
    engine.apply({ type: 'commit', block })
    longestMs = Math.max(longestMs, performance.now() - startMs)
    const { user, system } = process.cpuUsage(startCpu)
    cpuUs += user + system
  }
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[])
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) heapCollections += 1
  })
  collections.observe({ entryTypes: ['gc'] })
  for (let at = from; at < to; at += growthPerBlock) {
    apply(chain.tokens(at + 4, growthPerBlock))
    apply(chain.pairs(at, growthPerBlock))
    apply(chain.swaps(growthPerBlock * 2, (index) => at + (index >> 1), blockTimeS))
  }
  // Garbage-collection entries are reported one event-loop turn later.
  await new Promise((resolve) => setTimeout(resolve, 100))
  collections.disconnect()
  return { pairsPerCpuSecond: (to - from) / (cpuUs / 1e6), longestMs, heapCollections }
}

type Measured = { bytes: { pair: number; token: number }; rate: Rate }

function measure(engine: Applies, pairCount: number): Measured {
  const chain = new Chain()
  const bytes = populate(engine, chain, pairCount)
  measureSwaps(engine, chain, pairCount, warmSwaps)
  return { bytes, rate: measureSwaps(engine, chain, pairCount, measuredSwaps) }
}

const newEngine = () => createEngine({ profile: generatorProfile })

/**
 * Each measurement runs in a separate process: otherwise it would collect the garbage of the
 * previous one.
 */
const measurements = {
  small: () => measure(newEngine(), 10_000),
  plain: () => measure(createNaiveEngine(), 10_000),
  large: () => measure(newEngine(), 1_000_000),
  growing() {
    const chain = new Chain()
    const engine = newEngine()
    populate(engine, chain, 100_000)
    return measureGrowth(engine, chain, { from: 100_000, to: 500_000 })
  },
  busy() {
    const chain = new Chain()
    const engine = newEngine()
    populate(engine, chain, 100)
    return busyPairBytes(engine, chain)
  },
}

type MeasurementName = keyof typeof measurements

async function measuredApart<name extends MeasurementName>(
  name: name,
): Promise<Awaited<ReturnType<(typeof measurements)[name]>>> {
  const child = fork(fileURLToPath(import.meta.url), [name], { execArgv: ['--import', 'tsx'] })
  const [result] = await once(child, 'message')
  return result
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.send?.(await measurements[process.argv[2] as MeasurementName]())
}

export async function runEngineBench(): Promise<BenchTable> {
  const small = await measuredApart('small')
  const plain = await measuredApart('plain')
  const large = await measuredApart('large')
  const growing = await measuredApart('growing')
  const busyBytes = await measuredApart('busy')
  const rate = ({ perSecond, perCpuSecond }: Rate) =>
    `${countText(perSecond)}/s, ${countText(perCpuSecond)}/CPU s`
  const ratio = (a: Rate, b: Rate) =>
    `${(a.perSecond / b.perSecond).toFixed(2)}x; ${(a.perCpuSecond / b.perCpuSecond).toFixed(2)}x`
  const kb = (value: number) => `${(value / 1024).toFixed(2)} KB`
  return {
    name: 'engine',
    rows: [
      { metric: 'swaps applied, 10,000 pairs', value: rate(small.rate), goal: '200,000/s' },
      { metric: 'swaps applied, 1,000,000 pairs', value: rate(large.rate) },
      {
        metric: '10,000 against 1,000,000 pairs, by the clock; by CPU time',
        value: ratio(small.rate, large.rate),
        goal: 'at most 2x',
      },
      { metric: 'plain engine (Map, objects, bigint), 10,000 pairs', value: rate(plain.rate) },
      { metric: 'against the plain engine, the same', value: ratio(small.rate, plain.rate) },
      {
        metric: 'from 100,000 to 500,000 pairs: pairs added and traded twice',
        value: `${countText(growing.pairsPerCpuSecond)}/CPU s; longest block ${growing.longestMs.toFixed(0)} ms, ${growing.heapCollections} collections of the whole heap`,
      },
      { metric: 'quiet pair', value: kb(large.bytes.pair), goal: 'under 2 KB' },
      { metric: 'token with search index', value: kb(large.bytes.token) },
      { metric: 'busy pair (trades every minute of a day)', value: kb(busyBytes) },
    ],
  }
}
