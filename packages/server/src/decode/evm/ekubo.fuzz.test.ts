// Ekubo emits swaps without a topic, in packed bytes. The test builds them byte by byte over the
// range of each field.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hexArb } from '../../../../../test/support/eventArb.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { decodeEvmBlock } from './decodeEvmBlock.ts'

const txHash = `0x${'01'.repeat(32)}`
const wallet = `0x${'02'.repeat(20)}`
const emitter = `0x${'0a'.repeat(20)}`
const place = { address: emitter, logIndex: 3, transactionHash: txHash }
const ref = { number: 7, hash: txHash, parentNumber: 6, parentHash: txHash, timeS: 1_700_000_000 }

const int128 = fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n })
const hexOf = (value: bigint, bytes: number) =>
  BigInt.asUintN(bytes * 8, value)
    .toString(16)
    .padStart(bytes * 2, '0')

// The contract, and the first field of its pool state: a price of 12 bytes before a tick, or 16
// bytes of liquidity.
test.each([
  ['0xe0e0e08a6a4b9dc7bd67bcb7aade5cf48157d444', false],
  ['0x00000000000014aa86c5d3c41765bb24e11bd701', true],
])('behavior: a swap that %s emits without a topic', (address, isPriceFirst) => {
  const arb = fc.record({
    locker: hexArb(20),
    pool: hexArb(32),
    amount0: int128,
    amount1: int128,
    price: fc.bigInt({ min: 0n, max: 2n ** 96n - 1n }),
    tick: int128,
    liquidity: int128,
  })
  fc.assert(
    fc.property(arb, ({ locker, pool, amount0, amount1, price, tick, liquidity }) => {
      const told = [hexOf(price, 12), hexOf(tick, 4)].join('')
      const state = isPriceFirst ? told + hexOf(liquidity, 16) : hexOf(liquidity, 16) + told
      const amounts = hexOf(amount0, 16) + hexOf(amount1, 16)
      const data = `${locker}${pool.slice(2)}${amounts}${state}`
      const log = { ...place, address, topics: [], data }
      const managers = new Map([[address, 'ekubo']])
      const read = (logs: (typeof log)[], of = managers) =>
        decodeEvmBlock({ ref, logs, senders: new Map([[txHash, wallet]]) }, { managers: of }).events
      // The upper two bits are an exponent: the others are shifted by 32 bits that often, after a
      // shift of two bits.
      const root = (price % 2n ** 94n) * 4n * 2n ** (32n * (price / 2n ** 94n))
      const [swap] = read([log]) as readonly { priceRaw: number | null }[]
      expect(swap).toMatchObject({
        pool,
        manager: address,
        sender: locker,
        amount0,
        amount1,
        wallet,
      })
      if (root === 0n) expect(swap!.priceRaw).toBe(null)
      else expect(swap!.priceRaw! / (Number(root) * 2 ** -128) ** 2).toBeCloseTo(1, 12)
      expect(
        read([
          { ...log, data: data.slice(0, -2) },
          { ...log, address: emitter },
        ]),
      ).toEqual([])
      expect(read([log], new Map())).toEqual([])
    }),
    { numRuns: propertyRuns(200, { isCheap: true }) },
  )
})
