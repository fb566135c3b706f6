// Instructions and events of pump.fun and PumpSwap since October 2026, by the layouts that pump.fun
// publishes.
import {
  bytesOf,
  hex,
  keyBytesOf,
  keyOf,
  TransactionBuilder,
  u64,
} from '../../../packages/devnet/src/solana/transactionBuilder.ts'
import {
  createSolanaDecodeCounts,
  decodeSolanaTransactions,
} from '../../../packages/server/src/decode/solana/decodeSolanaBlock.ts'
import type { DecodedSwap } from '../../../packages/server/src/model/decodedBlock.ts'
import type { RpcTransaction } from '../../../packages/server/src/model/solana/rpcTransaction.ts'
import { pumpFun } from '../../../packages/server/src/venues/solana/pumpFun.ts'
import { pumpSwap } from '../../../packages/server/src/venues/solana/pumpSwap.ts'

export const [pump, swapProgram] = [pumpFun.programs[0]!, pumpSwap.programs[0]!]
export const sol = 'So11111111111111111111111111111111111111112'
const nativeKey = '11111111111111111111111111111111'
export const user = keyOf('user')
export const [mintA, mintB, mintC] = ['A', 'B', 'C'].map((name) => keyOf(`mint ${name}`)) as [
  ...[string, string, string],
]
export const buyback = keyOf('buyback account')

const text = (value: string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(value.length)
  return Buffer.concat([length, Buffer.from(value)])
}

/** The accounts of one hop: mints, pool or curve, vaults. */
export type Venue = { mint: string; quote: string; pool: string; vaults: readonly [string, string] }

export const venueOf = (name: string, mint: string, quote: string): Venue => {
  const pool = keyOf(name)
  return { mint, quote, pool, vaults: [keyOf(`${name} base vault`), keyOf(`${name} quote vault`)] }
}
const groupOf = ({ mint, quote, pool, vaults }: Venue) => [mint, quote, pool, ...vaults]
export const poolA = venueOf('pool A', mintA, sol)
export const poolC = venueOf('pool C', mintC, mintB)
export const curveA = venueOf('curve A', mintA, sol)
export const curveB = venueOf('curve B', mintB, mintA)

/** A trade on a curve. `reserves` after it: virtual quote and tokens, real quote and tokens. */
export type CurveFill = {
  isBuy: boolean
  tokens: bigint
  quote: bigint
  reserves?: readonly bigint[]
}

export const virtualReserves = [40_000_000_000n, 1_000_000_000_000_000n] as const
export const realReserves = [10_000_000_000n, 700_000_000_000_000n] as const
export const soldOutReserves = [...virtualReserves, realReserves[0], 0n]

/**
 * A TradeEvent as a route emits it. For a curve that is not paid in SOL, amounts are only in the
 * last fields.
 */
export function tradeEvent(
  { mint, quote }: Venue,
  fill: CurveFill,
  name = 'multi_hop_swap',
): Buffer {
  const inSol = (value: bigint) => (quote === sol ? value : 0n)
  const { isBuy, tokens, reserves = [...virtualReserves, ...realReserves] } = fill
  const [virtualQuote, virtualTokens, realQuote, realTokens] = reserves as [
    ...[bigint, bigint, bigint, bigint],
  ]
  return Buffer.concat([
    ...[hex('bddb7fd34ee661ee'), keyBytesOf(mint), u64(inSol(fill.quote), tokens)],
    ...[hex(isBuy ? '01' : '00'), keyBytesOf(user), u64(1_791_500_000n)],
    u64(inSol(virtualQuote), virtualTokens, inSol(realQuote), realTokens),
    ...[keyBytesOf(nativeKey), u64(95n, 1n), keyBytesOf(keyOf('creator')), u64(30n, 1n)],
    ...[hex('01'), u64(0n, 0n, 0n, 0n), text(name), hex('00'), u64(0n, 0n, 0n, 0n)],
    ...[Buffer.alloc(4), keyBytesOf(quote === sol ? nativeKey : quote)],
    ...[u64(fill.quote, virtualQuote, realQuote), u64(0n, 0n, 7n)],
  ])
}

type PoolFill = { isBuy: boolean; virtualBefore: bigint; quote: bigint }

/**
 * A BuyEvent or SellEvent. `quote` is the traded amount with the pool's fee and without other fees.
 */
export function poolEvent({ pool }: Venue, { isBuy, virtualBefore, quote }: PoolFill): Buffer {
  const tag = hex(isBuy ? '67f4521f2cf57777' : '3e2f370aa503dc2a')
  const head = { 0: tag, 104: u64(quote), 120: keyBytesOf(pool) }
  const signed = u64(BigInt.asUintN(64, virtualBefore), virtualBefore < 0n ? 2n ** 64n - 1n : 0n)
  if (!isBuy) return bytesOf(441, { ...head, 392: signed })
  const tail = [text('multi_hop_swap'), u64(0n, 0n, 0n, 0n), signed, hex('01'), u64(0n, 0n, 0n, 0n)]
  return Buffer.concat([bytesOf(401, head), ...tail])
}

/** pump programs emit every event twice: as a log and as an inner instruction. */
export function emit(builder: TransactionBuilder, program: string, event: Buffer): void {
  builder.log(event)
  builder.tell(program, event)
}

export function beginTransaction(): TransactionBuilder {
  const builder = new TransactionBuilder(user)
  for (const { mint, quote, pool, vaults } of [poolA, poolC, curveA, curveB]) {
    builder.open(vaults[0], mint, pool, 10n ** 15n)
    builder.open(vaults[1], quote, pool, 10n ** 15n)
  }
  builder.open(buyback, sol, keyOf('buyback'), 0n)
  for (const mint of [sol, mintA, mintB, mintC])
    builder.open(userAccountFor(mint), mint, user, 10n ** 15n)
  return builder
}
export const userAccountFor = (mint: string) => keyOf(`user account for ${mint}`)

export function addRoute(
  builder: TransactionBuilder,
  { from, to, hops }: { from: string; to: string; hops: readonly Venue[] },
  body: () => void,
): void {
  const programs = ['fees', 'volume'].map(keyOf)
  const fixed = [
    user,
    userAccountFor(from),
    userAccountFor(to),
    keyOf('config'),
    ...programs,
    buyback,
  ]
  const rest = Array.from({ length: 16 - fixed.length }, (_, at) => keyOf(`fixed ${at}`))
  const accounts = [...fixed, ...rest, ...hops.flatMap(groupOf)]
  builder.call(swapProgram, accounts, Buffer.concat([hex('2b644913e9f66f94'), u64(1n, 1n)]), body)
}

/** A run of successive curve hops. */
export function addCurveRun(
  builder: TransactionBuilder,
  hops: readonly Venue[],
  body: () => void,
  places = 13,
): void {
  const fixed = Array.from({ length: places }, (_, at) => keyOf(`fixed of run ${at}`))
  const accounts = [...fixed, ...hops.flatMap(groupOf)]
  const data = Buffer.concat([hex('e19a7516d756f667'), u64(1n)])
  builder.call(pump, accounts, data, body)
}

type Read = { swaps: DecodedSwap[]; malformed: number }

export function read(transaction: RpcTransaction): Read {
  const counts = createSolanaDecodeCounts()
  const events = decodeSolanaTransactions([transaction], { counts })
  const swaps = events.filter((event) => event.type === 'swap')
  return { swaps, malformed: counts.malformed }
}

export const summaryOf = ({ venues, pool, amount0, amount1, wallet }: DecodedSwap) => [
  ...[venues![0], pool, amount0, amount1, wallet],
]

/**
 * Decodes the transaction with complete logs, with every truncation of its logs, and without logs.
 */
export function readWithTruncatedLogs(builder: TransactionBuilder): Read[] {
  const whole = builder.build()
  const lines = whole.meta!.logMessages!.length
  const cut = Array.from({ length: lines }, (_, logsMax) => builder.build({ logsMax }))
  const bare = { ...whole, meta: { ...whole.meta!, logMessages: null } }
  return [whole, ...cut, bare].map((one) => read(one as RpcTransaction))
}

type Rest = { baseOut: bigint; quoteIn: bigint; before: readonly [bigint, bigint] }

export function endEvents({ mint, pool, quote }: Venue, rest: Rest | null): Buffer[] {
  const quoteKey = keyBytesOf(quote === sol ? nativeKey : quote)
  const who = [user, mint, pool].map(keyBytesOf)
  const complete = Buffer.concat([hex('5f72619cd42e9808'), ...who, u64(1n), quoteKey])
  if (rest === null) return [complete]
  const { baseOut, quoteIn, before } = rest
  const after = [before[0] - baseOut, before[1] + quoteIn] as const
  const amounts = u64(baseOut, quoteIn, 95n, 1n, 30n, 1n, 0n, ...before, ...after)
  return [complete, Buffer.concat([hex('6fb06d8b316cd5fb'), ...who, quoteKey, u64(1n), amounts])]
}

/**
 * Amounts by pump.fun's pricing: the rest of the curve, then constant product with the future
 * pool's initial reserves.
 */
export function completingAmounts() {
  const left = 1_132_030_466n
  const curveQuote = 465_127n
  const before = [206_900_000_000_000n, 84_990_000_000n] as const
  const quoteIn = 19_000_000_000n
  const baseOut = (quoteIn * before[0]) / (before[1] + quoteIn)
  return { left, curveQuote, rest: { baseOut, quoteIn, before } }
}

export const v3Accounts = ({ mint, quote, pool, vaults }: Venue) => {
  const rest = Array.from({ length: 6 }, (_, at) => keyOf(`rest ${at}`))
  const programs = [keyOf('base program'), keyOf('quote program')]
  const own = [keyOf('global'), mint, quote, ...programs, pool, ...vaults]
  return [...own, user, userAccountFor(mint), userAccountFor(quote), ...rest]
}
