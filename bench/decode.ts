// Decoders against viem's decodeEventLog on the same logs, and the codec of log entries against
// JSON, in one run.
import { type AbiEvent, decodeEventLog, parseAbiItem, toEventSelector } from 'viem'
import { decodeEvmBlock } from '../packages/server/src/decode/evm/decodeEvmBlock.ts'
import { decodeEntry, encodeEntry } from '../packages/server/src/log/entryCodec.ts'
import type { EvmBlock, EvmLog } from '../packages/server/src/model/evm/evmBlock.ts'
import type { FinishedSwap } from '../packages/server/src/model/finishedBlock.ts'
import type { LogEntry } from '../packages/server/src/model/logEntry.ts'
import { createPoolIds } from '../packages/server/src/venues/evm/decoding/poolIds.ts'
import { encodeLog } from '../test/support/encodeLog.ts'
import { eventAbi } from '../test/support/eventAbi.ts'
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'

type Random = () => number

const logCount = 20_000
const swapCount = 2_000
// The best run counts: other work on the machine can only slow a run down.
const rounds = 15

const abi = Object.fromEntries(
  Object.entries(eventAbi).map(([name, text]) => [name, parseAbiItem(text) as AbiEvent]),
) as Record<keyof typeof eventAbi, AbiEvent>

/** Relevant logs as in blocks of a busy chain: transfers first, then swaps, little else. */
function createLogs(random: Random): EvmLog[] {
  const wallets = Array.from({ length: 2_000 }, () => hexOf(random, 20))
  const pick = () => wallets[Math.floor(random() * wallets.length)]!
  const amount = (bits: number) => amountOf(random, bits)
  const logs: EvmLog[] = []
  const add = (event: AbiEvent, args: Record<string, unknown>, address = pick()) => {
    // About six logs per transaction.
    const transactionHash = `0x${Math.floor(logs.length / 6)
      .toString(16)
      .padStart(64, '0')}`
    logs.push(encodeLog(event, args, { address, logIndex: logs.length, transactionHash }))
  }
  const platform = pick()
  while (logs.length < logCount) {
    add(abi.transfer, { from: pick(), to: pick(), value: amount(70) })
    add(abi.transfer, { from: pick(), to: pick(), value: amount(90) })
    const dice = random()
    if (dice < 0.35) {
      const pair = pick()
      const ins = { amount0In: amount(70), amount1In: 0n }
      const outs = { amount0Out: 0n, amount1Out: amount(80) }
      add(abi.sync, { reserve0: amount(90), reserve1: amount(100) }, pair)
      add(abi.swapV2, { sender: pick(), to: pick(), ...ins, ...outs }, pair)
    } else if (dice < 0.75) {
      const amounts = { amount0: -amount(70), amount1: amount(60) }
      const state = { sqrtPriceX96: amount(100) + 1n, liquidity: amount(70), tick: -201_234 }
      add(abi.swapV3, { sender: pick(), recipient: pick(), ...amounts, ...state })
    } else if (dice < 0.85) {
      add(abi.deposit, { dst: pick(), wad: amount(64) })
    } else if (dice < 0.9) {
      add(abi.mintV2, { sender: pick(), amount0: amount(70), amount1: amount(70) })
    } else if (dice < 0.95) {
      const ticks = { tickLower: -887_220, tickUpper: 887_220 }
      const amounts = { amount: amount(70), amount0: amount(70), amount1: amount(70) }
      add(abi.burnV3, { owner: pick(), ...ticks, ...amounts })
    } else {
      const virtual = { virtualToken: 10n ** 27n, virtualEth: 4n * 10n ** 18n }
      const real = { realToken: 7n * 10n ** 26n, realEth: 10n ** 18n }
      const sides = { isBuy: true, tokenAmount: amount(80), ethAmount: amount(60) }
      add(abi.trade, { token: pick(), trader: pick(), ...sides, ...virtual, ...real }, platform)
    }
  }
  return logs
}

/** A block of swaps with every known field. */
function createEntry(random: Random): LogEntry {
  const wallets = Array.from({ length: 400 }, () => hexOf(random, 20))
  const pick = () => wallets[Math.floor(random() * wallets.length)]!
  const amount = (bits: number) => amountOf(random, bits)
  const events = Array.from({ length: swapCount }, (_, index): FinishedSwap => {
    const amounts = { amount0: -amount(70), amount1: amount(60) }
    const state = { reserve0: amount(90), reserve1: amount(80), priceRaw: random() }
    const holdings = { holding0: amount(70), holding1: amount(60), native: amount(64) }
    const origin = { index, txHash: hexOf(random, 32), wallet: pick() }
    const parties = { pairId: Math.floor(random() * 50_000), sender: pick(), to: pick() }
    const accountFlags = 0
    return { type: 'swap', ...origin, ...parties, ...amounts, ...state, ...holdings, accountFlags }
  })
  const ref = {
    number: 20_000_000,
    hash: hexOf(random, 32),
    parentHash: hexOf(random, 32),
    parentNumber: 19_999_999,
  }
  const lists = { tokens: [], pairs: [], events, supplies: [] }
  const times = { receivedMs: 1_700_000_000_123, nativeUsd: null }
  return { type: 'commit', block: { ref: { ...ref, timeS: 1_700_000_000 }, ...lists, ...times } }
}

function benchDecode(): BenchRow[] {
  // Copied through JSON as from a node, so that strings are flat and not shared.
  const logs: EvmLog[] = JSON.parse(JSON.stringify(createLogs(createRandom(1))))
  const senders = new Map(logs.map((log) => [log.transactionHash, log.address]))
  const ref = { number: 1, hash: '0x01', parentNumber: 0, parentHash: '0x00', timeS: 1_700_000_000 }
  const block: EvmBlock = { ref, logs, senders }
  const poolIds = createPoolIds()

  const oursMs = bestMs(() => decodeEvmBlock(block, { poolIds }))
  const all = Object.values(abi)
  const viemAllMs = bestMs(() => {
    for (const { topics, data } of logs) decodeEventLog({ abi: all, topics, data } as never)
  })
  // viem's best case: the caller has already found the event by its topic0.
  const abiOfTopic0 = new Map(all.map((event) => [toEventSelector(event) as string, [event]]))
  const viemOneMs = bestMs(() => {
    for (const { topics, data } of logs)
      decodeEventLog({ abi: abiOfTopic0.get(topics[0]!), topics, data } as never)
  })

  const perSecond = (ms: number) => `${countText((logs.length / ms) * 1_000)} logs/s`
  return [
    { metric: `decodeEvmBlock, ${logs.length} mixed logs`, value: perSecond(oursMs) },
    { metric: `viem decodeEventLog, ABI of all ${all.length} events`, value: perSecond(viemAllMs) },
    { metric: 'viem decodeEventLog, ABI of the one event', value: perSecond(viemOneMs) },
    { metric: 'against viem, all events', value: times(viemAllMs / oursMs), goal: '25x' },
    { metric: 'against viem, the one event', value: times(viemOneMs / oursMs), goal: '25x' },
  ]
}

function benchCodec(): BenchRow[] {
  const entry = createEntry(createRandom(2))
  const bytes = encodeEntry(entry)
  // JSON has no bigint, so converting to text and back is part of the work.
  const toText = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value
  const amountKeys = new Set(
    ['amount0', 'amount1', 'reserve0', 'reserve1', 'holding0', 'holding1'].concat('native'),
  )
  const toBigint = (key: string, value: unknown) =>
    amountKeys.has(key) ? BigInt(value as string) : value
  const json = JSON.stringify(entry, toText)

  const row = (metric: string, ms: number, sizeBytes: number): BenchRow => ({
    metric,
    value: `${(sizeBytes / ms / 1_000).toFixed(0)} MB/s, ${countText((swapCount / ms) * 1_000)} swaps/s`,
  })
  return [
    { metric: 'entry, bytes per swap', value: (bytes.length / swapCount).toFixed(0) },
    { metric: 'JSON, bytes per swap', value: (json.length / swapCount).toFixed(0) },
    row(
      'encodeEntry',
      bestMs(() => encodeEntry(entry)),
      bytes.length,
    ),
    row(
      'JSON.stringify, amounts to text',
      bestMs(() => JSON.stringify(entry, toText)),
      json.length,
    ),
    row(
      'decodeEntry',
      bestMs(() => decodeEntry(bytes)),
      bytes.length,
    ),
    row(
      'JSON.parse, text to amounts',
      bestMs(() => JSON.parse(json, toBigint)),
      json.length,
    ),
    row(
      'JSON.parse, amounts left as text',
      bestMs(() => JSON.parse(json)),
      json.length,
    ),
  ]
}

function hexOf(random: Random, sizeBytes: number): string {
  let digits = ''
  while (digits.length < sizeBytes * 2) digits += Math.floor(random() * 16).toString(16)
  return `0x${digits}`
}

function amountOf(random: Random, bits: number): bigint {
  let value = 0n
  for (let i = 0; i < bits; i += 24) value = (value << 24n) | BigInt(Math.floor(random() * 2 ** 24))
  return BigInt.asUintN(bits, value)
}

/** Mulberry32, so that every run has the same logs. */
function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function bestMs(run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now()
    run()
    best = Math.min(best, performance.now() - startMs)
  }
  return best
}

function times(factor: number): string {
  return `${factor.toFixed(1)}x`
}

export async function runDecodeBench(): Promise<BenchTable> {
  return { name: 'decode', rows: [...benchDecode(), ...benchCodec()] }
}
