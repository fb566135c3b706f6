// 1. Prices are compared with the exact fraction, in units of the last place.
// 2. Random rows of V2 logs are compared with a reading of the rule pool by pool.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../test/support/eventAbi.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import type { DecodedEvent } from '../../model/decodedBlock.ts'
import { decodeEvmBlock } from './decodeEvmBlock.ts'

const txHash = `0x${'01'.repeat(32)}`
const wallet = `0x${'02'.repeat(20)}`
const place = { address: `0x${'0a'.repeat(20)}`, logIndex: 3, transactionHash: txHash }
const ref = { number: 7, hash: txHash, parentNumber: 6, parentHash: txHash, timeS: 1_700_000_000 }
const senders = new Map([[txHash, wallet]])

/** Is `value` within this many tenths of a unit in its last place of the fraction? */
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
    { numRuns: propertyRuns(3_000) },
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
    { numRuns: propertyRuns(3_000) },
  )
})

type Step = { tx: number; pool: number; isSync: boolean }

/**
 * The rule as documented, one pool of one transaction at a time. Returns the expected state of each
 * event.
 */
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
        // The state encodes the index of its log.
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
    { numRuns: propertyRuns(2_000) },
  )
})
