import { randomInt } from 'node:crypto'
import type { Subscription } from './subscription.ts'

/** One subscribed item of a socket. */
export type SubscribedItem = {
  subscription: Subscription
  /** No chain knew the item when the client subscribed. */
  isUnknown: boolean
}

// Random seed of the hash, so that no client can choose items whose hashes collide.
const seed = randomInt(0x7fff_ffff)

const firstRows = 8
const firstBytes = 512
const deletedRow = -1

// Columns of a row: offset of its key in `#bytes`, hash of the key, number of its owner.
const rowSize = 3
const startAt = 0
const hashAt = 1
const ownerAt = 2

/**
 * Subscribed items by key, in insertion order. Keys are bytes and rows are numbers, both outside of
 * the JavaScript heap. The garbage collector would move a million long-lived strings twice, and
 * block the event loop meanwhile.
 */
export class ItemTable {
  /**
   * Open-addressing hash table of row number + 1; 0 is empty. A deleted row keeps its place until
   * the table is rebuilt.
   */
  #hashTable = new Int32Array(0)
  #rows = new Int32Array(0)
  #rowCount = 0
  #bytes: Buffer = Buffer.alloc(0)
  #byteCount = 0
  #size = 0
  readonly #owners = new SubscriptionRefs()

  get size(): number {
    return this.#size
  }

  /** Memory that the table uses outside of the JavaScript heap. */
  get bytes(): number {
    return this.#hashTable.byteLength + this.#rows.byteLength + this.#bytes.length
  }

  has(key: string): boolean {
    return this.#find(key, hashOf(key)) !== deletedRow
  }

  /** Adds an item. The table must not have its key yet. */
  add(key: string, { subscription, isUnknown }: SubscribedItem): void {
    const { length } = key
    // UTF-8 needs at most three bytes per character of the string.
    if (this.#rowCount * rowSize === this.#rows.length) this.#rebuild()
    if (this.#byteCount + length * 3 > this.#bytes.length) this.#growBytes(length * 3)
    const row = this.#rowCount
    const hash = hashOf(key)
    const owner = this.#owners.take(subscription)
    this.#rows[row * rowSize + startAt] = this.#byteCount
    this.#rows[row * rowSize + hashAt] = hash
    this.#rows[row * rowSize + ownerAt] = owner * 2 + (isUnknown ? 1 : 0)
    this.#byteCount += this.#bytes.write(key, this.#byteCount)
    this.#rowCount += 1
    this.#size += 1
    this.#insertIntoHashTable(row, hash)
  }

  /** Removes an item and returns it. Undefined if the table has no such key. */
  delete(key: string): SubscribedItem | undefined {
    const row = this.#find(key, hashOf(key))
    if (row === deletedRow) return undefined
    const item = this.#itemOf(row)
    this.#owners.give(this.#rows[row * rowSize + ownerAt]! >> 1)
    this.#rows[row * rowSize + ownerAt] = deletedRow
    this.#size -= 1
    return item
  }

  *entries(): Generator<[string, SubscribedItem], void, void> {
    for (let row = 0; row < this.#rowCount; row += 1)
      if (this.#rows[row * rowSize + ownerAt] !== deletedRow)
        yield [this.#keyOf(row), this.#itemOf(row)]
  }

  *keys(): Generator<string, void, void> {
    for (const [key] of this.entries()) yield key
  }

  #find(key: string, hash: number): number {
    const mask = this.#hashTable.length - 1
    if (mask < 0) return deletedRow
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const row = this.#hashTable[at]! - 1
      if (row < 0) return deletedRow
      const isHere = this.#rows[row * rowSize + hashAt] === hash
      if (isHere && this.#rows[row * rowSize + ownerAt] !== deletedRow && this.#keyOf(row) === key)
        return row
    }
  }

  #keyOf(row: number): string {
    const next = row + 1
    const end = next === this.#rowCount ? this.#byteCount : this.#rows[next * rowSize + startAt]!
    return this.#bytes.toString('utf8', this.#rows[row * rowSize + startAt], end)
  }

  #itemOf(row: number): SubscribedItem {
    const owner = this.#rows[row * rowSize + ownerAt]!
    return { subscription: this.#owners.at(owner >> 1), isUnknown: (owner & 1) === 1 }
  }

  #insertIntoHashTable(row: number, hash: number): void {
    const mask = this.#hashTable.length - 1
    let at = hash & mask
    while (this.#hashTable[at] !== 0) at = (at + 1) & mask
    this.#hashTable[at] = row + 1
  }

  /** Rebuilds the table without deleted rows, with room for twice the rows that are left. */
  #rebuild(): void {
    const old = { rows: this.#rows, rowCount: this.#rowCount, byteCount: this.#byteCount }
    let capacity = firstRows
    while (capacity < this.#size * 2) capacity *= 2
    this.#rows = new Int32Array(capacity * rowSize)
    this.#hashTable = new Int32Array(capacity * 2)
    this.#rowCount = 0
    this.#byteCount = 0
    for (let row = 0; row < old.rowCount; row += 1) {
      const at = row * rowSize
      if (old.rows[at + ownerAt] === deletedRow) continue
      const start = old.rows[at + startAt]!
      const end = row + 1 === old.rowCount ? old.byteCount : old.rows[at + rowSize + startAt]!
      this.#bytes.copyWithin(this.#byteCount, start, end)
      this.#rows.set(old.rows.subarray(at, at + rowSize), this.#rowCount * rowSize)
      this.#rows[this.#rowCount * rowSize + startAt] = this.#byteCount
      this.#byteCount += end - start
      this.#insertIntoHashTable(this.#rowCount, old.rows[at + hashAt]!)
      this.#rowCount += 1
    }
  }

  #growBytes(needed: number): void {
    let capacity = Math.max(firstBytes, this.#bytes.length)
    while (capacity < this.#byteCount + needed) capacity *= 2
    const bytes = Buffer.alloc(capacity)
    this.#bytes.copy(bytes, 0, 0, this.#byteCount)
    this.#bytes = bytes
  }
}

/**
 * Subscriptions that rows of an item table refer to, by number. Each is kept as long as a row
 * refers to it.
 */
class SubscriptionRefs {
  readonly #owners: (Subscription | null)[] = []
  readonly #counts: number[] = []
  readonly #free: number[] = []
  #newest = deletedRow

  at(owner: number): Subscription {
    return this.#owners[owner]!
  }

  /**
   * Counts a reference to a subscription and returns its number. Items of one request arrive in
   * sequence, so the newest subscription is the usual match.
   */
  take(subscription: Subscription): number {
    if (this.#newest === deletedRow || this.#owners[this.#newest] !== subscription) {
      this.#newest = this.#free.pop() ?? this.#owners.length
      this.#owners[this.#newest] = subscription
      this.#counts[this.#newest] = 0
    }
    this.#counts[this.#newest]! += 1
    return this.#newest
  }

  give(owner: number): void {
    this.#counts[owner]! -= 1
    if (this.#counts[owner] !== 0) return
    this.#owners[owner] = null
    this.#free.push(owner)
  }
}

function hashOf(key: string): number {
  let hash = seed
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x9e37_79b1)
    hash ^= hash >>> 15
  }
  return hash
}
