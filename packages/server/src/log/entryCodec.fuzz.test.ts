// 1. Any entry is decoded as it was, and equal entries give equal bytes. 2. Cut, altered or random
// bytes end in LogEntryCorruptError. The checksum finds nearly all of them, so the same is repeated
// with a corrected checksum, to reach the readers behind it.
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import type { FinishedBlock, FinishedEvent } from '../model/finishedBlock.ts'
import type { LogEntry } from '../model/logEntry.ts'
import type { PairRecord } from '../model/pair.ts'
import type { PoolKind } from '../model/pool.ts'
import type { TokenRecord, TokenSupply } from '../model/token.ts'
import { decodeEntry, encodeEntry, entryVersion } from './entryCodec.ts'
import { LogEntryCorruptError, LogEntryTooNewError } from './errors.ts'

const hexArb = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const stringArb = fc.oneof(
  hexArb,
  hexArb.map((hex) => hex.slice(0, -1)),
  hexArb.map((hex) => hex.toUpperCase()),
  fc.constantFrom('', '0x', '0', '0x0', '0xé0', '🦄', '\ufeffmark', '\u0000', 'So111', 'native'),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const bigintArb = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
  fc.bigInt({ min: -(2n ** 3_000n), max: 2n ** 3_000n }),
  fc
    .tuple(fc.integer({ min: 0, max: 700 }), fc.constantFrom(-1n, 0n, 1n), fc.constantFrom(-1n, 1n))
    .map(([bits, near, sign]) => sign * (2n ** BigInt(bits) + near)),
)
const wholeArb = fc.oneof(fc.nat(300), fc.maxSafeNat())
const floatArb = fc.double({ noNaN: true })
const nullable = <value>(arb: fc.Arbitrary<value>) => fc.option(arb, { nil: null })

const origin = { index: wholeArb, txHash: stringArb, wallet: stringArb }
const state = { reserve0: bigintArb, reserve1: bigintArb, priceRaw: floatArb }
const amounts = { amount0: bigintArb, amount1: bigintArb }

const eventArb: fc.Arbitrary<FinishedEvent> = fc.oneof(
  fc.record({
    type: fc.constant('swap' as const),
    ...origin,
    ...state,
    ...amounts,
    pairId: wholeArb,
    sender: stringArb,
    to: stringArb,
    accountFlags: fc.nat(63),
    holding0: nullable(bigintArb),
    holding1: nullable(bigintArb),
    native: nullable(bigintArb),
  }),
  fc.record({
    type: fc.constant('liquidity' as const),
    ...origin,
    ...state,
    ...amounts,
    kind: fc.constantFrom('add' as const, 'remove' as const, 'collect' as const, 'create' as const),
    pairId: wholeArb,
    sender: stringArb,
  }),
  fc.record({ type: fc.constant('sync' as const), ...state, index: wholeArb, pairId: wholeArb }),
  fc.record({
    type: fc.constant('launch' as const),
    ...origin,
    pairId: wholeArb,
    tokenId: wholeArb,
    creator: stringArb,
  }),
  fc.record({
    type: fc.constant('curve' as const),
    index: wholeArb,
    pairId: wholeArb,
    filledPpm: fc.nat(1_000_000),
  }),
  fc.record({
    type: fc.constant('graduation' as const),
    ...origin,
    tokenId: wholeArb,
    curvePairId: wholeArb,
    pairId: wholeArb,
  }),
)

const tokenArb: fc.Arbitrary<TokenRecord> = fc.record({
  id: wholeArb,
  address: stringArb,
  symbol: stringArb,
  name: stringArb,
  decimals: fc.nat(255),
  isUnreadable: fc.boolean(),
  seenAtS: wholeArb,
})

const pairArb: fc.Arbitrary<PairRecord> = fc.record({
  id: wholeArb,
  address: stringArb,
  kind: fc.constantFrom<PoolKind>('constantProduct', 'concentrated', 'curve', 'vault'),
  token0Id: wholeArb,
  token1Id: wholeArb,
  factory: stringArb,
  amm: stringArb,
  isTrusted: fc.boolean(),
  feePpm: nullable(fc.nat(1_000_000)),
  createdAtS: wholeArb,
  platform: nullable(stringArb),
  venue: stringArb,
  params: fc.array(bigintArb, { maxLength: 4 }),
  pool: nullable(stringArb.filter((text) => text !== '')),
  otherIds: fc.array(wholeArb, { maxLength: 3 }),
})

const supplyArb: fc.Arbitrary<TokenSupply> = fc.record({
  tokenId: wholeArb,
  total: bigintArb,
  burnt: bigintArb,
  locked: bigintArb,
  other: bigintArb,
  holders: wholeArb,
  isComplete: fc.boolean(),
})

// Below any possible number of a block.
const parentNumberArb = fc.oneof(
  fc.constant(-1),
  wholeArb.map((number) => Math.min(number, Number.MAX_SAFE_INTEGER - 1)),
)
const refArb = fc.record({
  number: wholeArb,
  hash: stringArb,
  timeS: wholeArb,
  parentNumber: parentNumberArb,
  parentHash: stringArb,
})
const shortRefArb = fc.record({ number: wholeArb, hash: stringArb })
const listOf = <item>(arb: fc.Arbitrary<item>) => fc.array(arb, { maxLength: 6 })

const blockArb: fc.Arbitrary<FinishedBlock> = fc.record({
  ref: refArb,
  receivedMs: wholeArb,
  tokens: listOf(tokenArb),
  pairs: listOf(pairArb),
  events: listOf(eventArb),
  supplies: listOf(supplyArb),
  nativeUsd: nullable(fc.record({ usd: floatArb, atS: wholeArb })),
})

// Null is written as 0, and a time as one more.
const createdArb = nullable(fc.maxSafeNat().map((atS) => Math.max(0, atS - 1)))
const creationArb = fc.record({ pairId: wholeArb, createdAtS: createdArb })
const tokenCreationArb = fc.record({ tokenId: wholeArb, createdAtS: createdArb })
const sharesArb = fc.record({
  pairId: wholeArb,
  total: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
})

const entryArb: fc.Arbitrary<LogEntry> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('commit' as const), block: blockArb }) },
  fc.record({
    type: fc.constant('late' as const),
    facts: fc.record(
      {
        ref: shortRefArb,
        tokens: listOf(tokenArb),
        supplies: listOf(supplyArb),
        creations: fc.array(creationArb, { minLength: 1, maxLength: 6 }),
        tokenCreations: fc.array(tokenCreationArb, { minLength: 1, maxLength: 6 }),
        shares: fc.array(sharesArb, { minLength: 1, maxLength: 6 }),
      },
      { requiredKeys: ['ref', 'tokens', 'supplies'] },
    ),
  }),
  fc.record({ type: fc.constant('revert' as const), ref: refArb }),
  fc.record({ type: fc.constant('finalize' as const), ref: shortRefArb }),
)

/** Bytes with a correct checksum, so that only the readers can find faults. */
function resealed(bytes: Uint8Array): Uint8Array {
  const sealed = Uint8Array.from(bytes)
  const end = sealed.length - 4
  new DataView(sealed.buffer).setUint32(end, crc32(sealed.subarray(0, end)), true)
  return sealed
}

/** The entry; null if the bytes were rejected as expected. */
function tryDecode(bytes: Uint8Array): LogEntry | null {
  try {
    return decodeEntry(bytes)
  } catch (error) {
    if (error instanceof LogEntryTooNewError) {
      expect(bytes[0]).toBeGreaterThan(entryVersion)
      return null
    }
    if (!(error instanceof LogEntryCorruptError)) throw error
    expect(error.code).toBe('LOG_ENTRY_CORRUPT')
    expect(error.offset).toBeGreaterThanOrEqual(0)
    expect(error.offset).toBeLessThanOrEqual(bytes.length)
    return null
  }
}

test('behavior: an entry comes back as it was, from the same bytes every time', () => {
  fc.assert(
    fc.property(entryArb, (entry) => {
      const bytes = encodeEntry(entry)
      const again = decodeEntry(bytes)
      expect(again).toEqual(entry)
      expect(encodeEntry(again)).toEqual(bytes)
      // As a driver passes it: a view into a larger buffer.
      const larger = Buffer.concat([Buffer.from([9, 9, 9]), bytes, Buffer.from([9])])
      expect(decodeEntry(larger.subarray(3, -1))).toEqual(entry)
    }),
    { numRuns: propertyRuns(500, { isCheap: true }) },
  )
})

test('behavior: cut and altered bytes are refused', () => {
  fc.assert(
    fc.property(entryArb, fc.nat(), fc.integer({ min: 1, max: 255 }), (entry, seed, flip) => {
      const bytes = encodeEntry(entry)
      expect(tryDecode(bytes.subarray(0, seed % bytes.length))).toBeNull()
      const altered = Uint8Array.from(bytes)
      altered[seed % bytes.length]! ^= flip
      expect(tryDecode(altered)).toBeNull()
    }),
    { numRuns: propertyRuns(1_000, { isCheap: true }) },
  )
})

test('behavior: the readers refuse what the checksum lets pass', () => {
  fc.assert(
    fc.property(
      entryArb,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.nat(),
      (entry, changes, cut) => {
        const bytes = encodeEntry(entry)
        const altered = Uint8Array.from(bytes)
        for (const [at, value] of changes) altered[at % (bytes.length - 4)] = value
        tryDecode(resealed(altered))
        const kept = 5 + (cut % (bytes.length - 5))
        // Every field of an entry is required, so fewer bytes are never a whole entry.
        expect(tryDecode(resealed(bytes.slice(0, kept)))).toBeNull()
        expect(tryDecode(resealed(Uint8Array.from([...bytes, 0])))).toBeNull()
      },
    ),
    { numRuns: propertyRuns(2_000) },
  )
})

test('behavior: random bytes are refused or read, never more', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(5), (body, type) => {
      tryDecode(body)
      tryDecode(resealed(Uint8Array.from([1, type, ...body, 0, 0, 0, 0])))
    }),
    { numRuns: propertyRuns(3_000) },
  )
})
