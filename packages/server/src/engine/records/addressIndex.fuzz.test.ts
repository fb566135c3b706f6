// Compares the index with a plain map while ids are added and removed in any order, and checks
// which records it reads.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import {
  copyImage,
  createSmallMemory,
  fillParts,
  imageText,
  ObservedMemory,
} from '../../../../../test/support/imagedParts.ts'
import { type AddressHash, AddressIndex } from './addressIndex.ts'
import { PackedRecords } from './packedRecords.ts'

const directory = mkdtempSync(join(tmpdir(), 'addresses-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Logs which records were read. */
class WatchedRecords extends PackedRecords {
  read: number[] = []

  override open(id: number) {
    this.read.push(id)
    return super.open(id)
  }

  /** Returns the ids read since the last call. */
  taken(): number[] {
    const { read } = this
    this.read = []
    return read
  }
}

function createIndex(memory = new ObservedMemory(), hash?: AddressHash) {
  const records = new WatchedRecords('records', memory)
  const index = new AddressIndex('addresses', memory, records, hash)
  return {
    memory,
    records,
    index,
    add(address: string): number {
      const id = records.push()
      records.write(id, (writer) => {
        writer.text(address)
        writer.text('what comes behind the address')
      })
      index.add(id)
      return id
    },
    remove(id: number): void {
      index.remove(id)
      records.clear(id)
    },
    image: () => copyImage([index.table], memory),
    /** Restores a copy of the index over the same records. */
    copy() {
      const copyMemory = new ObservedMemory()
      const copied = new AddressIndex('addresses', copyMemory, records, hash)
      fillParts([copied.table], copyMemory, copyImage([index.table], memory))
      return copied
    },
  }
}

const hexAddress = (place: number) => `0x${place.toString(16).padStart(40, '0')}`
const letters = ['solmint', 'SOLMINT', 'SolMint', 'sOlmINT']
/** Many addresses that differ little, some of them only in case. */
const addressOf = (place: number) =>
  place % 5 === 0 ? `${letters[(place / 5) % 4]}${place % 7}` : hexAddress(place)

/**
 * A hash with only six values, at the end of the table, so that entries wrap around to its start.
 */
const fewHashes: AddressHash = (bytes, _from, end) =>
  (2 ** 48 - 3 + (bytes[end - 1]! % 6)) % 2 ** 48

const steps = (maxLength: number, placeMax: number) =>
  fc.array(fc.record({ place: fc.nat({ max: placeMax }), isAdded: fc.boolean() }), {
    minLength: 1,
    maxLength,
    size: 'max',
  })

type Steps = readonly { place: number; isAdded: boolean }[]

function holdToMap(all: Steps, residentBytesMax: number, hash?: AddressHash): number {
  const whole = createIndex(undefined, hash)
  const paged = createIndex(createSmallMemory(directory, residentBytesMax), hash)
  const plain = new Map<string, number>()
  let evicted = 0
  for (const { place, isAdded } of all) {
    const address = addressOf(place)
    const id = plain.get(address)
    if (isAdded && id === undefined) {
      plain.set(address, whole.add(address))
      expect(paged.add(address)).toBe(plain.get(address))
    } else if (!isAdded && id !== undefined) {
      whole.remove(id)
      paged.remove(id)
      plain.delete(address)
    }
    if (place % 8 === 0) paged.memory.evictExcess()
    evicted += paged.memory.evicted()
  }
  expect(imageText(paged.image())).toBe(imageText(whole.image()))
  const ofLower = new Map<string, number[]>()
  for (const [address, id] of plain) {
    const lower = address.toLowerCase()
    ofLower.set(lower, [...(ofLower.get(lower) ?? []), id])
  }
  for (const index of [whole.index, paged.index, whole.copy()])
    for (const { place } of all) {
      const address = addressOf(place)
      expect(index.find(address)).toBe(plain.get(address))
      const lower = address.toLowerCase()
      const ids = ofLower.get(lower)?.sort((a, b) => a - b)
      expect(index.findAnyCase(lower)).toEqual(ids ?? [])
    }
  return evicted
}

test('behavior: remaining addresses are found in any case, whatever was added and removed', () => {
  let evicted = 0
  fc.assert(
    fc.property(steps(1_500, 2_000), fc.nat({ max: 30_000 }), (all, residentBytesMax) => {
      evicted += holdToMap(all, residentBytesMax)
    }),
    { numRuns: 20 },
  )
  expect(evicted).toBeGreaterThan(100)
})

test('edge: addresses with the same hash are found, and removing them leaves no gap', () => {
  fc.assert(
    fc.property(steps(200, 60), fc.nat({ max: 30_000 }), (all, residentBytesMax) => {
      holdToMap(all, residentBytesMax, fewHashes)
    }),
    { numRuns: 100 },
  )
})

test('behavior: only the record that is added, found or removed is read, however full the index is', () => {
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

test('edge: addresses with the same hash are distinguished by their records, even if only the case differs', () => {
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
