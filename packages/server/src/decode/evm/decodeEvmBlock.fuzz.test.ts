// 1. Random arguments for every known event are encoded by viem, then decoded by viem and by us.
// 2. Garbage under known topics must come back counted, never thrown.
import fc from 'fast-check'
import { type AbiEvent, decodeEventLog, keccak256, parseAbiItem, toEventSelector } from 'viem'
import { expect, test } from 'vitest'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../test/support/eventAbi.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'
import { type DecodedEvent, isHoldingEvent } from '../../model/decodedBlock.ts'
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
  | ('virtualToken' | 'virtualEth' | 'realToken' | 'realEth' | 'targetEth')
/** Arguments of all events; each event uses its own. */
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
  // Most amounts are small for their type; fast-check adds the extremes.
  const some = fc.oneof(
    fc.bigInt({ min, max }),
    fc.bigInt({ min: 0n, max: max >> BigInt(bits >> 1) }),
    fc.constantFrom(min, max, 0n, 1n),
  )
  // viem returns integers up to 48 bits as numbers.
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

/** Prices have a test of their own. */
const anyPrice: unknown = expect.toSatisfy(
  (price) => price === null || (Number.isFinite(price) && price > 0),
)

const curveOf = (token: string) =>
  keccak256(`${emitter}${token.slice(2)}${zero.slice(2)}` as `0x${string}`)

/** Uniswap V3 and its forks that append words. */
function swapOf({ sender, recipient: to, amount0, amount1, sqrtPriceX96 }: Args) {
  if (sqrtPriceX96 === 0n) return null
  const ends = { pool: emitter, sender, to }
  return [{ type: 'swap', ...origin, ...noState, ...ends, amount0, amount1, priceRaw: anyPrice }]
}

/** The expected event; null for content that no contract of the family emits. */
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
  tokenCreated: ({ token, creator, targetEth }) => [
    {
      type: 'launch',
      ...origin,
      platform: emitter,
      pool: curveOf(token),
      token0: token,
      token1: 'native',
      creator,
    },
    // 793.1 of 1,073 million tokens are for sale; a price of 0 means no price.
    ...((targetEth * 2_799n) / 7_931n === 0n
      ? []
      : [
          {
            type: 'sync',
            ...origin,
            pool: curveOf(token),
            reserve0: 793_100_000n * 10n ** 18n,
            reserve1: 0n,
            priceRaw: anyPrice,
          },
        ]),
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
      expect(counts).toEqual({ malformed: wanted === null ? 1 : 0, unknownSenders: 0, spoofed: 0 })
    }),
    { numRuns: propertyRuns(300, { isCheap: true }) },
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
        if (isHoldingEvent(event))
          expect(event).toMatchObject({ from: expect.stringMatching(/^0x[0-9a-f]{40}$/) })
        else expect(event.type === 'graduation' ? event.curve : event.pool).toMatch(/^0x[0-9a-f]+$/)
        if (event.type === 'swap' && event.priceRaw !== null)
          expect(Number.isFinite(event.priceRaw) && event.priceRaw > 0).toBe(true)
      }
    }),
    { numRuns: propertyRuns(2_000) },
  )
})
