// 1. Random arguments for every event we know are encoded by viem, decoded by viem and by us, and compared.
// 2. Prices are compared with the exact fraction, in units of the last place.
// 3. Random rows of V2 logs are compared with a reading of the rule pool by pool.
// 4. Garbage under known topics must come back counted, never thrown.
import fc from 'fast-check'
import { type AbiEvent, decodeEventLog, keccak256, parseAbiItem, toEventSelector } from 'viem'
import { expect, test } from 'vitest'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../test/support/eventAbi.ts'
import { runs } from '../../../../../test/support/runs.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'
import { type DecodedEvent, isHolding } from '../../model/decodedBlock.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { createDecodeCounts, decodeEvmBlock, topics0Of } from './decodeEvmBlock.ts'

const evmTopics0 = topics0Of(knownVenues)

type EventName = keyof typeof eventAbi
type AddressName =
  | ('from' | 'to' | 'dst' | 'src' | 'token0' | 'token1' | 'pair' | 'pool' | 'sender')
  | ('recipient' | 'owner' | 'token' | 'creator' | 'trader')
type AmountName =
  | ('value' | 'wad' | 'amount0' | 'amount1' | 'reserve0' | 'reserve1' | 'sqrtPriceX96')
  | ('amount0In' | 'amount1In' | 'amount0Out' | 'amount1Out' | 'tokenAmount' | 'ethAmount')
  | ('virtualToken' | 'virtualEth' | 'realToken' | 'realEth')
/** Arguments of all events under one roof; each event reads its own. */
type Args = Record<AddressName, string> &
  Record<AmountName, bigint> & { isBuy: boolean; fee: number }

const zero = `0x${'0'.repeat(40)}`
const txHash = `0x${'01'.repeat(32)}`
const wallet = `0x${'02'.repeat(20)}`
const place = { address: `0x${'0a'.repeat(20)}`, logIndex: 3, transactionHash: txHash }
const ref = { number: 7, hash: txHash, parentNumber: 6, parentHash: txHash, timeS: 1_700_000_000 }
const senders = new Map([[txHash, wallet]])
const origin = { index: place.logIndex, txHash, wallet }
const noState = { reserve0: null, reserve1: null, priceRaw: null }
const { address: emitter } = place

const addressArb = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

function arbOf(type: string): fc.Arbitrary<unknown> {
  if (type === 'address') return addressArb
  if (type === 'bool') return fc.boolean()
  const [, sign, digits] = /^(u?)int(\d+)$/.exec(type)!
  const bits = Number(digits)
  const min = sign === 'u' ? 0n : -(2n ** BigInt(bits - 1))
  const max = sign === 'u' ? 2n ** BigInt(bits) - 1n : 2n ** BigInt(bits - 1) - 1n
  // Most amounts are small next to their type; the ends come by themselves.
  const some = fc.oneof(
    fc.bigInt({ min, max }),
    fc.bigInt({ min: 0n, max: max >> BigInt(bits >> 1) }),
    fc.constantFrom(min, max, 0n, 1n),
  )
  // viem takes numbers up to 48 bits as numbers.
  return bits <= 48 ? some.map(Number) : some
}

function argsArbOf(event: AbiEvent): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    Object.fromEntries(event.inputs.map((input) => [input.name!, arbOf(input.type)])),
  )
}

/** Arguments as viem reads them from the log, addresses in lower case. */
function viemArgs(event: AbiEvent, log: EvmLog): Args {
  const { topics, data } = log
  const { args } = decodeEventLog({ abi: [event], topics, data } as never) as { args: object }
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.toLowerCase() : value,
  ])
  return Object.fromEntries(entries) as Args
}

/** `price` is left to the test of prices. */
const anyPrice: unknown = expect.toSatisfy(
  (price) => price === null || (Number.isFinite(price) && price > 0),
)

const curveOf = (token: string) =>
  keccak256(`${emitter}${token.slice(2)}${zero.slice(2)}` as `0x${string}`)

/** Of Uniswap V3 and of those that put more words behind it. */
function swapOf({ sender, recipient: to, amount0, amount1, sqrtPriceX96 }: Args) {
  if (sqrtPriceX96 === 0n) return null
  const ends = { pool: emitter, sender, to }
  return [{ type: 'swap', ...origin, ...noState, ...ends, amount0, amount1, priceRaw: anyPrice }]
}

/** What each event must become; null: a content that no contract of the family emits. */
const expected: Record<EventName, (args: Args) => readonly unknown[] | null> = {
  transfer: ({ from, to, value }) => [
    { type: 'transfer', index: 3, txHash, token: emitter, from, to, amount: value },
  ],
  deposit: ({ dst, wad }) => [
    { type: 'transfer', index: 3, txHash, token: emitter, from: zero, to: dst, amount: wad },
  ],
  withdrawal: ({ src, wad }) => [
    { type: 'transfer', index: 3, txHash, token: emitter, from: src, to: zero, amount: wad },
  ],
  pairCreated: ({ token0, token1, pair: pool }) => [
    {
      type: 'pool',
      ...origin,
      kind: 'constantProduct',
      factory: emitter,
      pool,
      token0,
      token1,
      feePpm: null,
    },
  ],
  swapV2: ({ sender, to, amount0In, amount1In, amount0Out, amount1Out }) => [
    {
      type: 'swap',
      ...origin,
      ...noState,
      pool: emitter,
      sender,
      to,
      amount0: amount0In - amount0Out,
      amount1: amount1In - amount1Out,
    },
  ],
  sync: ({ reserve0, reserve1 }) => [
    { type: 'sync', ...origin, pool: emitter, reserve0, reserve1, priceRaw: anyPrice },
  ],
  mintV2: ({ sender, amount0, amount1 }) => [
    {
      type: 'liquidity',
      kind: 'add',
      ...origin,
      ...noState,
      pool: emitter,
      sender,
      amount0,
      amount1,
    },
  ],
  burnV2: ({ sender, amount0, amount1 }) => [
    {
      type: 'liquidity',
      kind: 'remove',
      ...origin,
      ...noState,
      pool: emitter,
      sender,
      amount0,
      amount1,
    },
  ],
  poolCreated: ({ token0, token1, fee: feePpm, pool }) => [
    {
      type: 'pool',
      ...origin,
      kind: 'concentrated',
      factory: emitter,
      pool,
      token0,
      token1,
      feePpm,
    },
  ],
  initialize: ({ sqrtPriceX96 }) =>
    sqrtPriceX96 === 0n
      ? null
      : [{ type: 'sync', ...origin, ...noState, pool: emitter, priceRaw: anyPrice }],
  swapV3: swapOf,
  swapPancakeV3: swapOf,
  mintV3: ({ sender, amount0, amount1 }) => [
    {
      type: 'liquidity',
      kind: 'add',
      ...origin,
      ...noState,
      pool: emitter,
      sender,
      amount0,
      amount1,
    },
  ],
  burnV3: ({ owner: sender, amount0, amount1 }) =>
    amount0 === 0n && amount1 === 0n
      ? []
      : [
          {
            type: 'liquidity',
            kind: 'remove',
            ...origin,
            ...noState,
            pool: emitter,
            sender,
            amount0,
            amount1,
          },
        ],
  collect: ({ owner: sender, amount0, amount1 }) =>
    amount0 === 0n && amount1 === 0n
      ? [{ type: 'sync', ...origin, ...noState, pool: emitter }]
      : [
          {
            type: 'liquidity',
            kind: 'collect',
            ...origin,
            ...noState,
            pool: emitter,
            sender,
            amount0,
            amount1,
          },
        ],
  collectProtocol: () => [{ type: 'sync', ...origin, ...noState, pool: emitter }],
  flash: () => [{ type: 'sync', ...origin, ...noState, pool: emitter }],
  tokenCreated: ({ token, creator }) => [
    {
      type: 'launch',
      ...origin,
      platform: emitter,
      pool: curveOf(token),
      token0: token,
      token1: 'native',
      creator,
    },
  ],
  trade: ({ token, trader, isBuy, tokenAmount, ethAmount, ...curve }) => {
    const { virtualToken, virtualEth, realToken, realEth } = curve
    if (virtualToken <= realToken || realEth > virtualEth) return null
    if (realEth === 0n && (virtualEth === 0n || realToken === 0n)) return null
    const amounts = isBuy
      ? { amount0: -tokenAmount, amount1: ethAmount }
      : { amount0: tokenAmount, amount1: -ethAmount }
    const pool = curveOf(token)
    return [
      {
        type: 'swap',
        ...origin,
        pool,
        sender: trader,
        to: trader,
        ...amounts,
        reserve0: realToken,
        reserve1: realEth,
        priceRaw: anyPrice,
        curve: { platform: emitter, token0: token, token1: 'native', venue: 'launchPad' },
      },
      {
        type: 'curve',
        ...origin,
        pool,
        filledPpm: expect.toSatisfy((ppm) => Number.isInteger(ppm) && ppm >= 0 && ppm <= 1e6),
      },
    ]
  },
  graduated: ({ token, pair }) => [
    {
      type: 'graduation',
      ...origin,
      curve: curveOf(token),
      pool: pair,
      terms: { platform: emitter, token0: token, token1: 'native', venue: 'launchPad' },
    },
    {
      type: 'sync',
      ...origin,
      pool: curveOf(token),
      reserve0: 0n,
      reserve1: 0n,
      priceRaw: null,
    },
  ],
}

const names = Object.keys(eventAbi) as EventName[]

test('behavior: the topics are those of the events', () => {
  const topics = Object.values({ ...eventAbi, ...venueAbi }).map((abi) => toEventSelector(abi))
  expect([...evmTopics0].sort()).toEqual([...new Set(topics)].sort())
})

function withoutVenues(event: DecodedEvent) {
  const {
    venues: _,
    gross: __,
    ...rest
  } = event as DecodedEvent & {
    venues?: unknown
    gross?: unknown
  }
  return rest
}

function venuesOf(event: AbiEvent): string[] {
  const topic0 = toEventSelector(event)
  return knownVenues.names.filter((name) => topic0 in knownVenues.find(name)!.events)
}

test.each(names)('behavior: %s is what viem decodes', (name) => {
  const event = parseAbiItem(eventAbi[name]) as AbiEvent
  fc.assert(
    fc.property(argsArbOf(event), (args) => {
      const log = encodeLog(event, args, place)
      const counts = createDecodeCounts()
      const { events } = decodeEvmBlock({ ref, logs: [log], senders }, { counts })
      const wanted = expected[name](viemArgs(event, log))
      expect(events.map(withoutVenues)).toEqual(wanted ?? [])
      for (const told of events) if ('venues' in told) expect(told.venues).toEqual(venuesOf(event))
      expect(counts).toEqual({ malformed: wanted === null ? 1 : 0, unknownSenders: 0 })
    }),
    { numRuns: runs(300) },
  )
})

/** Is `value` within so many tenths of a unit in its last place of the fraction? */
function isWithin(value: number, numerator: bigint, denominator: bigint, ulpTenths: bigint) {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  const exponent = (bits.getUint32(0) >>> 20) - 1_075
  const mantissa = (bits.getBigUint64(0) & (2n ** 52n - 1n)) | (2n ** 52n)
  const up = exponent < 0 ? 2n ** BigInt(-exponent) : 1n
  const unit = denominator * (exponent > 0 ? 2n ** BigInt(exponent) : 1n)
  const error = mantissa * unit - numerator * up
  return (error < 0n ? -error : error) * 10n <= ulpTenths * unit
}

function priceOf(event: DecodedEvent | undefined): number {
  return (event as { priceRaw: number }).priceRaw
}

test('behavior: a V3 price is within 2 ulp of the exact one', () => {
  const sqrtArb = fc
    .tuple(fc.integer({ min: 1, max: 160 }), fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }))
    .map(([bits, value]) => (value >> BigInt(160 - bits)) | 1n)
  fc.assert(
    fc.property(sqrtArb, (sqrtPriceX96) => {
      const log = encodeLog(eventAbi.initialize, { sqrtPriceX96, tick: 0 }, place)
      const price = priceOf(decodeEvmBlock({ ref, logs: [log], senders }).events[0])
      expect(isWithin(price, sqrtPriceX96 * sqrtPriceX96, 2n ** 192n, 20n)).toBe(true)
    }),
    { numRuns: runs(3_000) },
  )
})

test('behavior: a V2 price is within 2.5 ulp of the exact one', () => {
  const reserveArb = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n })
  fc.assert(
    fc.property(reserveArb, reserveArb, (reserve0, reserve1) => {
      const log = encodeLog(eventAbi.sync, { reserve0, reserve1 }, place)
      const price = priceOf(decodeEvmBlock({ ref, logs: [log], senders }).events[0])
      expect(isWithin(price, reserve1, reserve0, 25n)).toBe(true)
    }),
    { numRuns: runs(3_000) },
  )
})

type Step = { tx: number; pool: number; isSync: boolean }

/** The rule as written, one pool of one transaction at a time. Gives the state of each event that must come out. */
function pairsOf(steps: readonly (Step & { index: number })[]): Map<number, number | null> {
  const out = new Map<number, number | null>()
  let free: number | null = null
  let waiting: number[] = []
  for (const { index, isSync } of steps) {
    if (isSync && waiting.length > 0) {
      for (const event of waiting) out.set(event, index)
      waiting = []
    } else if (isSync) {
      out.set(index, index)
      free = index
    } else if (free !== null) {
      out.delete(free)
      out.set(index, free)
      free = null
    } else {
      out.set(index, null)
      waiting.push(index)
    }
  }
  return out
}

test('behavior: syncs and swaps find each other in any order', () => {
  const stepArb = fc.record({
    tx: fc.constantFrom(0, 0, 0, 1),
    pool: fc.integer({ min: 0, max: 2 }),
    isSync: fc.boolean(),
  })
  const sync = encodeLog(eventAbi.sync, { reserve0: 1n, reserve1: 1n })
  const swapArgs = { amount0In: 1n, amount1In: 0n, amount0Out: 0n, amount1Out: 1n }
  const swap = encodeLog(eventAbi.swapV2, { sender: wallet, to: wallet, ...swapArgs })
  fc.assert(
    fc.property(fc.array(stepArb, { maxLength: 24 }), (unordered) => {
      const steps = unordered
        .toSorted((a, b) => a.tx - b.tx)
        .map((step, index) => ({ ...step, index }))
      const logs = steps.map(({ tx, pool, isSync, index }) => ({
        ...(isSync ? sync : swap),
        // The state tells which log it came from.
        ...(isSync && { data: `0x${(index + 1).toString(16).padStart(64, '0').repeat(2)}` }),
        address: `0x${String(pool).repeat(40)}`,
        transactionHash: `0x${String(tx).repeat(64)}`,
        logIndex: index,
      }))
      const wanted = [0, 1]
        .flatMap((tx) => [0, 1, 2].map((pool) => ({ tx, pool })))
        .flatMap((of) => [
          ...pairsOf(steps.filter(({ tx, pool }) => tx === of.tx && pool === of.pool)),
        ])
        .sort(([a], [b]) => a - b)
        .map(([index, state]) => [index, state === null ? null : BigInt(state + 1)])
      const { events } = decodeEvmBlock({ ref, logs, senders })
      expect(
        events.map((event) => [event.index, (event as { reserve0: bigint | null }).reserve0]),
      ).toEqual(wanted)
    }),
    { numRuns: runs(2_000) },
  )
})

test('behavior: garbage is counted, never thrown', () => {
  const wordArb = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => Buffer.from(bytes).toString('hex'))
  const topicArb = fc.oneof(
    addressArb.map((address) => `0x${address.slice(2).padStart(64, '0')}`),
    wordArb.map((digits) => `0x${digits}`),
    fc.string({ unit: 'binary', maxLength: 70 }),
  )
  const dataArb = fc.oneof(
    fc.array(wordArb, { maxLength: 8 }).map((words) => `0x${words.join('')}`),
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFxX \n'), maxLength: 600 }),
    fc
      .tuple(fc.array(wordArb, { maxLength: 8 }), fc.nat(520), fc.string({ maxLength: 3 }))
      .map(([words, at, bad]) => {
        const data = `0x${words.join('')}`
        return data.slice(0, at) + bad + data.slice(at + bad.length)
      }),
  )
  const logArb: fc.Arbitrary<EvmLog> = fc.record({
    address: fc.oneof(addressArb, fc.string({ maxLength: 50 })),
    topics: fc
      .tuple(fc.constantFrom(...evmTopics0), fc.array(topicArb, { maxLength: 4 }))
      .map(([topic0, rest]) => [topic0, ...rest]),
    data: dataArb,
    logIndex: fc.nat(),
    transactionHash: fc.constantFrom(txHash, '', '0xff'),
  })
  fc.assert(
    fc.property(fc.array(logArb, { maxLength: 20 }), (logs) => {
      const counts = createDecodeCounts()
      const { events } = decodeEvmBlock({ ref, logs, senders }, { counts })
      expect(counts.malformed).toBeLessThanOrEqual(logs.length)
      for (const event of events) {
        expect(event.type).not.toBe('balance')
        if (isHolding(event))
          expect(event).toMatchObject({ from: expect.stringMatching(/^0x[0-9a-f]{40}$/) })
        else expect(event.type === 'graduation' ? event.curve : event.pool).toMatch(/^0x[0-9a-f]+$/)
        if (event.type === 'swap' && event.priceRaw !== null)
          expect(Number.isFinite(event.priceRaw) && event.priceRaw > 0).toBe(true)
      }
    }),
    { numRuns: runs(2_000) },
  )
})
