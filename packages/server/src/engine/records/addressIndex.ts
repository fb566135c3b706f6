import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'
import type { PackedRecords } from './packedRecords.ts'
import { RecordReader, toLower, upperA, upperZ } from './recordReader.ts'
import { addressForm, RecordWriter } from './recordWriter.ts'

/** Each grows alone, so that no block waits for all ids to be placed again. */
const shardBits = 8
const shardCount = 1 << shardBits
const firstSlots = 8
/** Slots for each id of a shard that is as full as it gets. */
const fullShare = 4 / 3
/** Of a slot: an id plus 1, or 0, and the hash of its address. */
const slotWidth = 2
/** Slots of so many bytes are no business of the collector. */
const countedBytesMax = 1 << 12

/**
 * Ids with a place in a table of slots, found by the address that their record begins with. Hashes are kept, so that of all
 * records only the one that is added, removed or found is read: the others may be anywhere.
 */
export class AddressIndex {
  private readonly records: PackedRecords
  private readonly shards: Shard[] = []
  private readonly reader = new RecordReader()
  private readonly sought = new RecordWriter()

  constructor(records: PackedRecords) {
    this.records = records
  }

  /** Room for so many, before the first: none of them is placed twice. */
  reserve(count: number): void {
    const ofShard = (count / shardCount) * fullShare
    let slots = firstSlots
    while (slots < ofShard) slots *= 2
    if (this.shards.length > 0 || slots === firstSlots) return
    for (let shard = 0; shard < shardCount; shard += 1)
      this.shards.push({ slots: slotsOf(slots), count: 0 })
  }

  find(address: string): number | undefined {
    const { sought, records } = this
    sought.start().address(address)
    const hash = hashOf(sought.bytes, 0, sought.length)
    const shard = this.shards[hash >>> (32 - shardBits)]
    if (shard === undefined) return undefined
    const { slots } = shard
    const mask = maskOf(slots)
    for (let at = homeOf(hash, mask); slots[at] !== 0; at = (at + slotWidth) & mask) {
      if (slots[at + 1] !== hash) continue
      const id = slots[at]! - 1
      if (records.startsWith(id, sought)) return id
    }
    return undefined
  }

  /** Those whose address is this one, in whatever case, ascending. */
  findAnyCase(lowerAddress: string): number[] {
    const { sought } = this
    sought.start().address(lowerAddress)
    const ids = this.idsLike(lowerAddress)
    // What is hexadecimal has a form of its own in lower case only.
    if (sought.bytes[0] !== addressForm.text) {
      sought.start().byte(addressForm.text)
      sought.text(lowerAddress)
      ids.push(...this.idsLike(lowerAddress))
    }
    return ids.sort((a, b) => a - b)
  }

  /** The record is there already. */
  add(id: number): void {
    const hash = this.hashOf(id)
    const shard = this.shardOf(hash)
    shard.count += 1
    if (shard.count * 4 * slotWidth > shard.slots.length * 3) grow(shard)
    place(shard.slots, hash, id + 1)
  }

  /** The record is still there. */
  remove(id: number): void {
    const hash = this.hashOf(id)
    const shard = this.shardOf(hash)
    const { slots } = shard
    const mask = maskOf(slots)
    let hole = homeOf(hash, mask)
    while (slots[hole] !== id + 1) hole = (hole + slotWidth) & mask
    shard.count -= 1
    // What comes behind moves up, unless it would be before its own place.
    for (let at = (hole + slotWidth) & mask; slots[at] !== 0; at = (at + slotWidth) & mask) {
      const home = homeOf(slots[at + 1]!, mask)
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      slots[hole] = slots[at]!
      slots[hole + 1] = slots[at + 1]!
      hole = at
    }
    slots[hole] = 0
  }

  /** Of the form that is sought. */
  private idsLike(lowerAddress: string): number[] {
    const { sought, reader } = this
    const hash = hashOf(sought.bytes, 0, sought.length)
    const shard = this.shards[hash >>> (32 - shardBits)]
    if (shard === undefined) return []
    const ids: number[] = []
    const { slots } = shard
    const mask = maskOf(slots)
    for (let at = homeOf(hash, mask); slots[at] !== 0; at = (at + slotWidth) & mask) {
      if (slots[at + 1] !== hash) continue
      const id = slots[at]! - 1
      this.records.open(id, reader)
      if (reader.bytes[reader.at] !== sought.bytes[0]) continue
      if (reader.address().toLowerCase() === lowerAddress) ids.push(id)
    }
    return ids
  }

  private shardOf(hash: number): Shard {
    while (this.shards.length < shardCount)
      this.shards.push({ slots: slotsOf(firstSlots), count: 0 })
    return this.shards[hash >>> (32 - shardBits)]!
  }

  private hashOf(id: number): number {
    const { reader } = this
    this.records.open(id, reader)
    const from = reader.at
    reader.skipAddress()
    return hashOf(reader.bytes, from, reader.at)
  }
}

/** A power of two of slots. */
type Shard = { slots: Int32Array; count: number }

function slotsOf(count: number): Int32Array {
  const length = count * slotWidth
  const bytes = length * Int32Array.BYTES_PER_ELEMENT
  return bytes <= countedBytesMax ? new Int32Array(length) : new Int32Array(uncountedBuffer(bytes))
}

/** Takes a place in the slots to where a slot begins, round the end. */
function maskOf(slots: Int32Array): number {
  return slots.length - slotWidth
}

function homeOf(hash: number, mask: number): number {
  return (hash * slotWidth) & mask
}

function grow(shard: Shard): void {
  const { slots } = shard
  const grown = slotsOf((slots.length / slotWidth) * 2)
  for (let at = 0; at < slots.length; at += slotWidth)
    if (slots[at] !== 0) place(grown, slots[at + 1]!, slots[at]!)
  shard.slots = grown
}

function place(slots: Int32Array, hash: number, held: number): void {
  const mask = maskOf(slots)
  let at = homeOf(hash, mask)
  while (slots[at] !== 0) at = (at + slotWidth) & mask
  slots[at] = held
  slots[at + 1] = hash
}

/**
 * 32 bits of all bytes: addresses that begin or end alike are made at will. Texts have the same in whatever case, so that
 * one table finds both.
 */
function hashOf(bytes: Uint8Array, from: number, end: number): number {
  const isText = bytes[from] === addressForm.text
  let hash = 0x9e3779b1 ^ (end - from)
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at]!
    const isUpper = isText && byte >= upperA && byte <= upperZ
    hash = Math.imul(hash ^ (isUpper ? byte + toLower : byte), 0xcc9e2d51)
    hash ^= hash >>> 15
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b)
  return hash ^ (hash >>> 16)
}
