// Compares pages that are evicted and loaded with a plain array of all pages.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { PageFile } from '../../lib/files/marketFiles.ts'
import { MarketMemory } from './marketMemory.ts'
import { bufferBytes, Pages } from './pages.ts'

const directory = mkdtempSync(join(tmpdir(), 'pages-'))
afterAll(() => rmSync(directory, { recursive: true }))

const pageBytes = 64
const smallPerLarge = 4
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('push' as const) }),
    fc.record({ type: fc.constant('write' as const), page: fc.nat(), byte: fc.nat({ max: 255 }) }),
    fc.record({ type: fc.constant('read' as const), page: fc.nat() }),
    fc.record({ type: fc.constant('settle' as const) }),
  ),
  { minLength: 40, maxLength: 300 },
)

test('behavior: every page has the content last written, through evictions and loads', () => {
  let evicted = 0
  fc.assert(
    fc.property(steps, fc.nat({ max: 10 }), fc.boolean(), (all, residentMax, isLarge) => {
      const pages = new Pages({
        pageBytes,
        largePageBytes: isLarge ? smallPerLarge * pageBytes : undefined,
        viewOf: Buffer.from,
      })
      // Finds a page as a table does, whether pages are divided or not.
      const found = (page: number) => {
        if (!pages.isUndivided) return pages.page(page)
        const at = (page % smallPerLarge) * pageBytes
        return pages.page(Math.floor(page / smallPerLarge)).subarray(at, at + pageBytes)
      }
      pages.onDivide = () => plain.length
      const memory = new MarketMemory({
        residentBytesMax: residentMax * pageBytes,
        openFile: (name, bytes) => new PageFile(directory, name, bytes),
        schedule: () => undefined,
        onWriteError: (error) => expect.unreachable(String(error)),
      })
      memory.add('test', pages)
      const plain: number[] = []
      for (const step of all) {
        if (step.type === 'push' || plain.length === 0) {
          if (!pages.isUndivided || plain.length % smallPerLarge === 0) pages.push()
          plain.push(0)
        } else if (step.type === 'write') {
          const page = step.page % plain.length
          plain[page] = step.byte
          found(page).fill(step.byte)
        } else if (step.type === 'read') {
          const page = step.page % plain.length
          expect(found(page).every((byte) => byte === plain[page])).toBe(true)
        } else {
          memory.evictExcess()
          // The first page is never evicted.
          const bytesMax = Math.max(residentMax, 1) * pageBytes
          expect(pages.residentCount * pages.pageBytes).toBeLessThanOrEqual(bytesMax)
          evicted += pages.count - pages.residentCount
        }
      }
      pages.divide()
      const copy = new Uint8Array(pageBytes)
      for (const [page, byte] of plain.entries()) {
        pages.copyPage(page, copy)
        expect(copy.every((each) => each === byte)).toBe(true)
      }
    }),
  )
  expect(evicted).toBeGreaterThan(100)
  // Page files are deleted as soon as they are opened, so the directory is empty.
  expect(readdirSync(directory)).toEqual([])
})

test("behavior: tables reuse each other's memory without sharing content", () => {
  const pageBytesOf = [1 << 16, 3 << 15, 1 << 17]
  const pageCount = 120
  const touch = fc.record({ table: fc.nat(2), page: fc.nat(pageCount - 1), byte: fc.nat(255) })
  const touches = fc.array(touch, {
    minLength: 30,
    maxLength: 120,
  })
  fc.assert(
    fc.property(touches, fc.integer({ min: 1, max: 3 }), (all, buffersMax) => {
      const memory = new MarketMemory({
        residentBytesMax: buffersMax * bufferBytes,
        openFile: (name, bytes) => new PageFile(directory, name, bytes),
        schedule: () => undefined,
        onWriteError: (error) => expect.unreachable(String(error)),
      })
      const tables = pageBytesOf.map((bytes, table) => {
        const pages = new Pages({ pageBytes: bytes, viewOf: Buffer.from })
        memory.add(`table ${table}`, pages)
        for (let page = 0; page < pageCount; page += 1) pages.push()
        return { pages, plain: new Array<number>(pageCount).fill(0) }
      })
      for (const { table, page, byte } of all) {
        const { pages, plain } = tables[table]!
        // Reads one whole table after another, as writing a snapshot does.
        if (page === 0)
          for (const [each, held] of plain.entries()) {
            expect(pages.page(each)[7]).toBe(held)
            memory.evictDuringScan(each)
          }
        pages.page(page).fill(byte)
        plain[page] = byte
        memory.evictExcess()
      }
      for (const { pages, plain } of tables)
        for (const [page, byte] of plain.entries())
          expect(pages.page(page).every((each) => each === byte)).toBe(true)
    }),
    { numRuns: propertyRuns(15) },
  )
})

test('behavior: a table whose pages are evicted returns its memory', () => {
  const bytesMax = 2 * bufferBytes
  const memory = new MarketMemory({
    residentBytesMax: bytesMax,
    openFile: (name, bytes) => new PageFile(directory, name, bytes),
    schedule: () => undefined,
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  const tables = ['one', 'two', 'three', 'four'].map((name) => {
    const pages = new Pages({ pageBytes: 1 << 16, viewOf: Buffer.from })
    memory.add(name, pages)
    return pages
  })
  // Fills each table with 13 MB, one table after another.
  for (const pages of tables)
    for (let page = 0; page < 200; page += 1) {
      pages.push()
      memory.evictExcess()
    }
  const bytes = tables.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)
  expect(memory.residentBytes()).toBeLessThanOrEqual(bytesMax)
  // Each table may have one partly used buffer.
  expect(bytes).toBeLessThan(bytesMax + tables.length * bufferBytes)
})

test('behavior: pages of a base are read until they are written, and the base never changes', () => {
  const base = Array.from({ length: 20 }, (_, page) => page + 1)
  let writes = 0
  class CountedFile extends PageFile {
    override write(page: number, from: Uint8Array): void {
      writes += 1
      super.write(page, from)
    }
  }
  const pages = new Pages({ pageBytes, viewOf: Buffer.from })
  pages.push()
  pages.adoptBase(base.length, {
    read: (page, to) => void to.fill(base[page]!),
    write: () => expect.unreachable('nobody writes to it'),
  })
  const memory = new MarketMemory({
    residentBytesMax: 2 * pageBytes,
    openFile: (name, bytes) => new CountedFile(directory, name, bytes),
    schedule: () => undefined,
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  memory.add('test', pages)
  expect(pages.residentCount).toBe(1)
  const all = () => base.map((_, page) => pages.page(page)[0])
  expect(all()).toEqual(base)
  memory.evictExcess()
  // The pages were only read, so none was written.
  expect([pages.residentCount <= 2, writes]).toEqual([true, 0])
  pages.page(7).fill(99)
  memory.evictExcess()
  expect(all()).toEqual(base.map((byte, page) => (page === 7 ? 99 : byte)))
  memory.evictExcess()
  expect(writes).toBe(1)
  pages.push()
  pages.page(base.length).fill(50)
  expect(all()[7]).toBe(99)
  memory.evictExcess()
  expect([pages.page(base.length)[0], writes]).toEqual([50, 2])
})

test('behavior: evicting a page compares it with the disk only if a write ended since it was loaded', () => {
  const base = Array.from({ length: 20 }, (_, page) => page + 1)
  let reads = 0
  const pages = new Pages({ pageBytes, viewOf: Buffer.from })
  pages.push()
  pages.adoptBase(base.length, {
    read(page, to) {
      reads += 1
      to.fill(base[page]!)
    },
    write: () => expect.unreachable('nobody writes to it'),
  })
  const memory = new MarketMemory({
    residentBytesMax: 0,
    openFile: (name, bytes) => new PageFile(directory, name, bytes),
    schedule: () => undefined,
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  memory.add('test', pages)
  /** Evicts all pages and returns how many disk reads that took. */
  const evicted = () => {
    const before = reads
    memory.evictExcess()
    expect(pages.residentCount).toBe(1)
    return reads - before
  }
  const lookAt = (...numbers: number[]) => numbers.map((page) => pages.page(page)[0])
  lookAt(1, 2, 3)
  expect(evicted()).toBe(3)
  memory.endWrite()
  lookAt(1, 2, 3)
  expect(evicted()).toBe(0)
  lookAt(1, 2)
  pages.page(5).fill(99)
  memory.endWrite()
  lookAt(4)
  // Pages 1 and 2 are compared and equal; page 5 is written.
  expect(evicted()).toBe(3)
  expect(lookAt(4, 5, 6)).toEqual([5, 99, 7])
  expect(evicted()).toBe(0)
})

test('behavior: an index stays in memory only while a market is filled', () => {
  const memory = new MarketMemory({
    residentBytesMax: 4 * pageBytes,
    openFile: (name, bytes) => new PageFile(directory, name, bytes),
    schedule: () => undefined,
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  const framesOf = (name: string, kind: 'rows' | 'index') => {
    const pages = new Pages({ pageBytes, viewOf: Buffer.from })
    memory.add(name, pages, kind)
    return pages
  }
  const rows = framesOf('rows', 'rows')
  const index = framesOf('index', 'index')
  memory.whileFilling(() => {
    for (let pages = 0; pages < 20; pages += 1) {
      for (const pages of [rows, index]) pages.push()
      memory.evictExcess()
    }
    expect(index.residentCount).toBe(20)
    expect(rows.residentCount).toBeLessThanOrEqual(4)
  })
  expect(memory.residentBytes()).toBeLessThanOrEqual(4 * pageBytes)
})

test('error: pages that cannot be written stay in memory, with one report', () => {
  const pages = new Pages({ pageBytes, viewOf: Buffer.from })
  const faults: unknown[] = []
  let isFull = true
  const memory = new MarketMemory({
    residentBytesMax: 2 * pageBytes,
    openFile(name, bytes) {
      const file = new PageFile(directory, name, bytes)
      return {
        read: (page, to) => file.read(page, to),
        write(page, from) {
          if (isFull) throw new Error('no space left')
          file.write(page, from)
        },
      }
    },
    schedule: () => undefined,
    onWriteError: (error) => faults.push(error),
  })
  memory.add('test', pages)
  for (let page = 0; page < 20; page += 1) {
    pages.push()
    pages.page(page)[0] = page
  }
  memory.evictExcess()
  memory.evictExcess()
  expect([pages.residentCount, faults.length]).toEqual([20, 1])
  isFull = false
  memory.evictExcess()
  expect(pages.residentCount).toBeLessThanOrEqual(2)
  const copy = new Uint8Array(pageBytes)
  for (let page = 0; page < 20; page += 1) {
    pages.copyPage(page, copy)
    expect(copy[0]).toBe(page)
  }
})

test('behavior: many reads between two entries schedule one eviction', () => {
  const pages = new Pages({ pageBytes, viewOf: Buffer.from })
  const due: (() => void)[] = []
  const memory = new MarketMemory({
    residentBytesMax: 20 * pageBytes,
    openFile: (name, bytes) => new PageFile(directory, name, bytes),
    schedule: (settle) => due.push(settle),
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  memory.add('test', pages)
  for (let page = 0; page < 100; page += 1) pages.push()
  memory.evictExcess()
  for (let page = 1; page < 100; page += 1) pages.page(page)
  expect([pages.residentCount, due.length]).toEqual([100, 1])
  for (const settle of due.splice(0)) settle()
  expect(pages.residentCount).toBeLessThanOrEqual(20)
  for (let page = 1; page < 100; page += 1) pages.page(page)
  expect(due).toHaveLength(1)
})

test('error: a page that cannot be read throws, and is read again', () => {
  const pages = new Pages({ pageBytes, viewOf: Buffer.from })
  const file = new PageFile(directory, 'test', pageBytes)
  let isBroken = false
  const store = {
    write: (page: number, from: Uint8Array) => file.write(page, from),
    read(page: number, to: Uint8Array) {
      if (isBroken) throw new Error('i/o error')
      file.read(page, to)
    },
  }
  for (let page = 0; page < 4; page += 1) {
    pages.push()
    pages.page(page).fill(page)
  }
  pages.evict(3, store)
  isBroken = true
  for (let left = 2; left > 0; left -= 1) expect(() => pages.page(2)).toThrow('i/o error')
  expect(pages.residentCount).toBe(1)
  isBroken = false
  expect([1, 2, 3].map((page) => pages.page(page)[0])).toEqual([1, 2, 3])
})
