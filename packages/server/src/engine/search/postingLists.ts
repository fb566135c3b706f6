import type { ImagePart } from '../pages/imagePart.ts'
import { imageBytes, imageWords } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { Pages } from '../pages/pages.ts'
import { KeyTable } from '../tables/keyTable.ts'
import { blockIdsMax, PostingBlocks } from './postingBlocks.ts'

/** Table values from this number on refer to a list; lower ones are a single id plus 1. */
const firstList = 2 ** 31

/** Columns of a list: its first and last block, its highest id, and its number of ids. */
const column = { head: 0, tail: 1, last: 2, count: 3 } as const
const columns = 4
/** Lists per page, as a power of two. */
const pageShift = 8
const pageBytes = (columns << pageShift) * Uint32Array.BYTES_PER_ELEMENT

/**
 * Inverted index: ascending lists of ids by key, a whole double. Most keys have one id, which is
 * stored without a list.
 */
export class PostingLists implements ImagePart {
  readonly name: string
  readonly #table: KeyTable
  readonly #blocks: PostingBlocks
  readonly #rows = new Pages({
    pageBytes,
    viewOf: (buffer, byteOffset, byteLength) =>
      new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT),
  })
  #listCount = 0
  /**
   * First free list plus 1; 0 if there are none. Each free list stores the next one in place of its
   * first block.
   */
  #freeList = 0

  constructor(name: string, memory: MarketMemory) {
    this.name = `${name}Lists`
    this.#table = new KeyTable(`${name}Keys`, memory)
    this.#blocks = new PostingBlocks(`${name}Blocks`, memory)
    this.#rows.push()
    memory.add(this.name, this.#rows, 'index')
  }

  imageParts(): readonly ImagePart[] {
    return [this.#table, this.#blocks, this]
  }

  imageFields(): ReadonlyMap<string, Uint8Array> {
    return new Map([['counts', imageBytes(Uint32Array.of(this.#listCount, this.#freeList))]])
  }

  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void {
    const [listCount, freeList] = imageWords(fields, 'counts')
    this.#listCount = listCount!
    this.#freeList = freeList!
  }

  add(key: number, id: number): void {
    const held = this.#table.add(key, id + 1)
    if (held === 0) return
    if (held >= firstList) this.#addTo(held - firstList, id)
    else if (held !== id + 1) {
      const list = this.#createList(held - 1)
      this.#addTo(list, id)
      this.#table.set(key, firstList + list)
    }
  }

  remove(key: number, id: number): void {
    const held = this.#table.get(key)
    if (held === id + 1) this.#table.delete(key)
    else if (held >= firstList && this.#removeFrom(held - firstList, id)) this.#table.delete(key)
  }

  /**
   * Visits ids that are in all lists, ascending, while `visit` returns remaining work above 0. Each
   * id of the shortest list costs one unit of work. `others` are ascending ids that extend the list
   * of a single key.
   */
  intersect(
    keys: readonly number[],
    workMax: number,
    visit: (id: number, workLeft: number) => number,
    others: readonly number[] = [],
  ): void {
    const cursors: Cursor[] = []
    for (const key of keys) {
      const held = this.#table.get(key)
      if (held === 0) {
        if (others.length === 0) return
      } else cursors.push(this.#cursorOf(held))
    }
    cursors.sort((a, b) => a.length - b.length)
    const [shortest, ...longer] = cursors
    let workLeft = workMax
    let other = 0
    for (;;) {
      const listed = shortest?.id ?? endOfList
      const id = Math.min(listed, others[other] ?? endOfList)
      if (id === endOfList || workLeft <= 0) return
      workLeft -= 1
      while (others[other] === id) other += 1
      let isInAll = true
      for (let index = 0; index < longer.length && isInAll; index += 1)
        isInAll = longer[index]!.advanceTo(id)
      if (isInAll) workLeft = visit(id, workLeft)
      if (listed === id) shortest!.next()
    }
  }

  #cursorOf(held: number): Cursor {
    if (held < firstList) return new Cursor(this.#blocks, { single: held - 1, head: 0, length: 1 })
    const list = held - firstList
    const rows = this.#rowsOf(list)
    const at = atOf(list)
    return new Cursor(this.#blocks, {
      single: endOfList,
      head: rows[at + column.head]!,
      length: rows[at + column.count]!,
    })
  }

  #createList(id: number): number {
    let list = this.#freeList - 1
    if (list >= 0) this.#freeList = this.#rowsOf(list)[atOf(list) + column.head]!
    else {
      list = this.#listCount
      this.#listCount += 1
      if (list >>> pageShift === this.#rows.count) this.#rows.push()
    }
    const block = this.#blocks.create(id)
    const rows = this.#rowsOf(list)
    const at = atOf(list)
    rows[at + column.head] = block
    rows[at + column.tail] = block
    rows[at + column.last] = id
    rows[at + column.count] = 1
    return list
  }

  #rowsOf(list: number): Uint32Array {
    return this.#rows.page(list >>> pageShift)
  }

  #addTo(list: number, id: number): void {
    const blocks = this.#blocks
    const rows = this.#rowsOf(list)
    const at = atOf(list)
    const last = rows[at + column.last]!
    if (id === last) return
    if (id < last) {
      this.#insertInto(list, id)
      return
    }
    const tail = rows[at + column.tail]!
    const added = blocks.append(tail, last, id)
    if (added !== tail) {
      // The only block of a list may have moved to a larger one; in a longer list a new block
      // follows.
      if (tail === rows[at + column.head] && blocks.next(tail) !== added)
        rows[at + column.head] = added
      rows[at + column.tail] = added
    }
    rows[at + column.last] = id
    rows[at + column.count]! += 1
  }

  #insertInto(list: number, id: number): void {
    const blocks = this.#blocks
    const rows = this.#rowsOf(list)
    const at = atOf(list)
    const { block, before } = this.#blockOf(list, id)
    const count = blocks.read(block, decodedIds)
    if (decodedIds.subarray(0, count).includes(id)) return
    const written = blocks.insert(block, id)
    if (before === 0) rows[at + column.head] = written
    if (block === rows[at + column.tail]) rows[at + column.tail] = blocks.next(written) || written
    rows[at + column.count]! += 1
  }

  /** Returns true if the list is empty afterwards. */
  #removeFrom(list: number, id: number): boolean {
    const blocks = this.#blocks
    const rows = this.#rowsOf(list)
    const at = atOf(list)
    const tail = rows[at + column.tail]!
    // Removed ids are nearly always the newest, because of reverts.
    const isInTail = id > blocks.firstId(tail)
    const { block, before } = isInTail ? { block: tail, before: 0 } : this.#blockOf(list, id)
    const count = blocks.read(block, decodedIds)
    const place = decodedIds.subarray(0, count).indexOf(id)
    if (place < 0) return false
    const left = rows[at + column.count]! - 1
    rows[at + column.count] = left
    if (left === 0) {
      blocks.release(block)
      rows[at + column.head] = this.#freeList
      this.#freeList = list + 1
      return true
    }
    const highest = place > 0 ? decodedIds[place - 1]! : endOfList
    if (!blocks.remove(block, id)) this.#unlink(list, block, before)
    if (id === rows[at + column.last])
      rows[at + column.last] =
        highest === endOfList ? this.#highestOf(rows[at + column.tail]!) : highest
    return false
  }

  #unlink(list: number, block: number, before: number): void {
    const blocks = this.#blocks
    const rows = this.#rowsOf(list)
    const at = atOf(list)
    const next = blocks.next(block)
    if (before === 0) rows[at + column.head] = next
    else blocks.link(before, next)
    if (next === 0) rows[at + column.tail] = before
    blocks.release(block)
  }

  #highestOf(block: number): number {
    return decodedIds[this.#blocks.read(block, decodedIds) - 1]!
  }

  /**
   * The last block that starts at or below the id, or the first block, with the block before it.
   */
  #blockOf(list: number, id: number): { block: number; before: number } {
    const blocks = this.#blocks
    let before = 0
    let block = this.#rowsOf(list)[atOf(list) + column.head]!
    for (;;) {
      const next = blocks.next(block)
      if (next === 0 || blocks.firstId(next) > id) return { block, before }
      before = block
      block = next
    }
  }
}

/** Position of a list within its page. */
function atOf(list: number): number {
  return (list & ((1 << pageShift) - 1)) * columns
}

/** Larger than every id: marks the end of a list. */
const endOfList = 2 ** 32
/** Decoded ids of the block that is being changed. */
const decodedIds = new Uint32Array(blockIdsMax + 1)

/** Iterates over the ids of a list, decoding one block at a time. */
class Cursor {
  readonly length: number
  /** The current id; larger than every id at the end of the list. */
  id: number
  readonly #blocks: PostingBlocks
  readonly #ids: Uint32Array
  #block: number
  #count = 1
  #at = 0

  constructor(
    blocks: PostingBlocks,
    { single, head, length }: { single: number; head: number; length: number },
  ) {
    this.#blocks = blocks
    this.length = length
    this.#block = head
    this.#ids = new Uint32Array(Math.min(length, blockIdsMax) + 1)
    this.id = single
    this.#ids[0] = single
    if (head !== 0) this.#load(head)
  }

  next(): void {
    this.#at += 1
    if (this.#at < this.#count) this.id = this.#ids[this.#at]!
    else this.#load(this.#block === 0 ? 0 : this.#blocks.next(this.#block))
  }

  /** Advances to the first id that is at least `id`. True if it is equal. */
  advanceTo(id: number): boolean {
    if (this.id >= id) return this.id === id
    this.#skipBlocks(id)
    while (this.id < id) this.next()
    return this.id === id
  }

  /** Skips blocks that only have lower ids, without decoding their ids. */
  #skipBlocks(id: number): void {
    if (this.#block === 0) return
    let block = this.#block
    for (;;) {
      const next = this.#blocks.next(block)
      if (next === 0 || this.#blocks.firstId(next) > id) break
      block = next
    }
    if (block !== this.#block) this.#load(block)
  }

  #load(block: number): void {
    this.#block = block
    this.#at = 0
    if (block === 0) {
      this.id = endOfList
      this.#count = 0
      return
    }
    this.#count = this.#blocks.read(block, this.#ids)
    this.id = this.#ids[0]!
  }
}
