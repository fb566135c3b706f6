// Ids that come and go in any order against a plain map, and which records are read for it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PageBudget } from '../pages/pageBudget.ts'
import { AddressIndex } from './addressIndex.ts'
import { PackedRecords } from './packedRecords.ts'
import type { RecordReader } from './recordReader.ts'
import { RecordWriter } from './recordWriter.ts'

/** Tells which records were looked into. */
class WatchedRecords extends PackedRecords {
  read: number[] = []

  override open(id: number, reader: RecordReader): boolean {
    this.read.push(id)
    return super.open(id, reader)
  }

  /** Since it was last asked. */
  taken(): number[] {
    const { read } = this
    this.read = []
    return read
  }
}

function createIndex() {
  const records = new WatchedRecords('test', new PageBudget())
  const writer = new RecordWriter()
  const index = new AddressIndex(records)
  return {
    records,
    index,
    add(address: string): number {
      const id = records.push()
      writer.start().address(address)
      writer.text('what comes behind the address')
      records.set(id, writer)
      index.add(id)
      return id
    },
    remove(id: number): void {
      index.remove(id)
      records.clear(id)
    },
  }
}

const hexAddress = (place: number) => `0x${place.toString(16).padStart(40, '0')}`
const letters = ['solmint', 'SOLMINT', 'SolMint', 'sOlmINT']
/** Many that differ little, some of them only in case. */
const addressOf = (place: number) =>
  place % 5 === 0 ? `${letters[(place / 5) % 4]}${place % 7}` : hexAddress(place)

test('behavior: whatever was added and removed, those that are left are found, in whatever case', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ place: fc.nat({ max: 2_000 }), isAdded: fc.boolean() }), {
        minLength: 1,
        maxLength: 1_500,
        size: 'max',
      }),
      fc.constantFrom(0, 10_000),
      (steps, reserved) => {
        const { index, add, remove } = createIndex()
        index.reserve(reserved)
        const plain = new Map<string, number>()
        for (const { place, isAdded } of steps) {
          const address = addressOf(place)
          const id = plain.get(address)
          if (isAdded && id === undefined) plain.set(address, add(address))
          else if (!isAdded && id !== undefined) {
            remove(id)
            plain.delete(address)
          }
        }
        const ofLower = new Map<string, number[]>()
        for (const [address, id] of plain) {
          const lower = address.toLowerCase()
          ofLower.set(lower, [...(ofLower.get(lower) ?? []), id])
        }
        for (const { place } of steps) {
          const address = addressOf(place)
          expect(index.find(address)).toBe(plain.get(address))
          const lower = address.toLowerCase()
          const ids = ofLower.get(lower)?.sort((a, b) => a - b)
          expect(index.findAnyCase(lower)).toEqual(ids ?? [])
        }
      },
    ),
    { numRuns: 20 },
  )
})

test('behavior: no record is read but the one that is added, found or removed, however full the index is', () => {
  const { records, index, add, remove } = createIndex()
  const count = 6_000
  for (let id = 0; id < count; id += 1) {
    add(hexAddress(id))
    expect(records.taken()).toEqual([id])
  }
  for (let id = 0; id < count; id += 1) {
    expect(index.find(hexAddress(id))).toBe(id)
    expect(records.taken()).toEqual([id])
    expect(index.findAnyCase(hexAddress(id))).toEqual([id])
    expect(records.taken()).toEqual([id])
    expect(index.find(hexAddress(count + id))).toBeUndefined()
    expect(records.taken()).toEqual([])
  }
  for (let id = 0; id < count; id += 3) {
    remove(id)
    expect(records.taken()).toEqual([id])
  }
  for (let id = 0; id < count; id += 1)
    expect(index.find(hexAddress(id))).toBe(id % 3 === 0 ? undefined : id)
})

test('edge: addresses of one hash, as those that differ in case, are told apart by their records', () => {
  const { records, index, add } = createIndex()
  for (const address of letters) add(address)
  records.taken()
  letters.forEach((address, id) => {
    expect(index.find(address)).toBe(id)
    expect(records.taken()).toContain(id)
  })
  expect(index.find('solMINT')).toBeUndefined()
  expect(new Set(records.taken())).toEqual(new Set([0, 1, 2, 3]))
  expect(index.findAnyCase('solmint')).toEqual([0, 1, 2, 3])
})
