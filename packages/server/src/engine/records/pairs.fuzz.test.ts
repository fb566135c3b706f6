// Compares pairs stored as bytes with an array of the records.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PairRecord, pairCodec } from '../../model/pair.ts'
import { MarketMemory } from '../pages/marketMemory.ts'
import { Records } from './records.ts'

const bytes = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((array) => `0x${Buffer.from(array).toString('hex')}`)
const facts = fc.record({
  kind: fc.constantFrom(...(['constantProduct', 'concentrated', 'curve', 'vault'] as const)),
  token0Id: fc.nat(),
  token1Id: fc.nat(),
  factory: fc.oneof(bytes(20), fc.constant('')),
  amm: fc.constantFrom('uniswapv2', ''),
  isTrusted: fc.boolean(),
  feePpm: fc.oneof(fc.nat({ max: 1_000_000 }), fc.constantFrom(null, 0)),
  createdAtS: fc.oneof(fc.nat(), fc.constant(0)),
  platform: fc.constantFrom(null, 'pump', ''),
  venue: fc.constantFrom('uniswapV2', 'curve'),
  params: fc.array(fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }), { maxLength: 3 }),
  pool: fc.oneof(bytes(20), bytes(32), fc.constant(null)),
  otherIds: fc.array(fc.nat(), { maxLength: 3 }),
})

test('behavior: every pair record is read back unchanged, by id and by address', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.oneof(bytes(20), bytes(32)), { maxLength: 20 }),
      fc.array(facts, { minLength: 40, maxLength: 40 }),
      fc.nat({ max: 20 }),
      (addresses, all, kept) => {
        const records = new Records('pair', pairCodec, {
          isIndexed: true,
          memory: new MarketMemory(),
        })
        const plain: PairRecord[] = addresses.map((address, id) => ({ id, address, ...all[id]! }))
        for (const record of plain) records.push(record)
        for (const record of plain.slice(0, 10)) {
          plain[record.id] = { ...record, ...all[20 + record.id]! }
          records.set(record.id, plain[record.id]!)
        }
        plain.length = Math.min(plain.length, kept)
        records.truncate(plain.length)
        addresses.forEach((address, id) => {
          expect(records.find(address)).toBe(id < plain.length ? id : undefined)
        })
        for (const record of plain) {
          expect(records.get(record.id)).toStrictEqual(record)
          expect(records.seek(record.id, 'platform').wordOrNull()).toBe(record.platform)
          expect(records.seek(record.id, 'createdAtS').whole()).toBe(record.createdAtS)
        }
      },
    ),
  )
})
