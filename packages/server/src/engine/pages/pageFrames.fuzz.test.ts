// Compares pages that are evicted and loaded with a plain array of all pages.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { PageFile } from '../../lib/files/pageFile.ts'
import { PageBudget } from './pageBudget.ts'
import { PageFrames } from './pageFrames.ts'

const directory = mkdtempSync(join(tmpdir(), 'pages-'))
afterAll(() => rmSync(directory, { recursive: true }))

const pageBytes = 64
const wholePages = 4
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
    fc.property(
      steps,
      fc.nat({ max: 10 }),
      fc.constantFrom(pageBytes, 4 * pageBytes, 1 << 20),
      fc.boolean(),
      fc.boolean(),
      (all, residentMax, slabBytes, isAnnounced, isWhole) => {
        const frames = new PageFrames({
          pageBytes,
          slabBytes,
          undividedBytes: isWhole ? wholePages * pageBytes : undefined,
          viewOf: Buffer.from,
        })
        // Finds a page as a table does, whether pages are divided or not.
        const found = (page: number) => {
          if (!frames.isUndivided) return frames.page(page)
          const at = (page % wholePages) * pageBytes
          return frames.page(Math.floor(page / wholePages)).subarray(at, at + pageBytes)
        }
        frames.onDivide = () => plain.length
        const budget = new PageBudget({
          residentBytesMax: residentMax * pageBytes,
          openFile: (name, bytes) => new PageFile(directory, name, bytes),
          schedule: () => undefined,
          onWriteError: (error) => expect.unreachable(String(error)),
        })
        budget.add('test', frames)
        if (isAnnounced) budget.announceWrites()
        const write = (work: () => void) => (isAnnounced ? budget.write(work) : work())
        const plain: number[] = []
        for (const step of all) {
          if (step.type === 'push' || plain.length === 0) {
            if (!frames.isUndivided || plain.length % wholePages === 0) frames.push()
            plain.push(0)
          } else if (step.type === 'write') {
            const page = step.page % plain.length
            plain[page] = step.byte
            write(() => void found(page).fill(step.byte))
          } else if (step.type === 'read') {
            const page = step.page % plain.length
            expect(found(page).every((byte) => byte === plain[page])).toBe(true)
          } else {
            budget.evictExcess()
            // The first page is never evicted.
            const bytesMax = Math.max(residentMax, 1) * pageBytes
            expect(frames.residentCount * frames.pageBytes).toBeLessThanOrEqual(bytesMax)
            evicted += frames.count - frames.residentCount
          }
        }
        frames.divide()
        const copy = new Uint8Array(pageBytes)
        for (const [page, byte] of plain.entries()) {
          frames.copyPage(page, copy)
          expect(copy.every((each) => each === byte)).toBe(true)
        }
      },
    ),
  )
  expect(evicted).toBeGreaterThan(100)
  // Page files are deleted as soon as they are opened, so the directory is empty.
  expect(readdirSync(directory)).toEqual([])
})

test("behavior: tables reuse each other's memory without sharing content", () => {
  const slabBytes = 1 << 21
  const pageBytesOf = [1 << 16, 3 << 15, 1 << 17]
  const touches = fc.array(fc.record({ table: fc.nat(2), page: fc.nat(49), byte: fc.nat(255) }), {
    minLength: 30,
    maxLength: 120,
  })
  fc.assert(
    fc.property(touches, fc.integer({ min: 1, max: 3 }), (all, slabsMax) => {
      const budget = new PageBudget({
        residentBytesMax: slabsMax * slabBytes,
        openFile: (name, bytes) => new PageFile(directory, name, bytes),
        schedule: () => undefined,
        onWriteError: (error) => expect.unreachable(String(error)),
      })
      const tables = pageBytesOf.map((bytes, table) => {
        const frames = new PageFrames({ pageBytes: bytes, slabBytes, viewOf: Buffer.from })
        budget.add(`table ${table}`, frames)
        for (let page = 0; page < 50; page += 1) frames.push()
        return { frames, plain: new Array<number>(50).fill(0) }
      })
      for (const { table, page, byte } of all) {
        const { frames, plain } = tables[table]!
        // Reads one whole table after another, as writing a snapshot does.
        if (page === 0)
          for (const [each, held] of plain.entries()) {
            expect(frames.page(each)[7]).toBe(held)
            budget.evictDuringScan(each)
          }
        frames.page(page).fill(byte)
        plain[page] = byte
        budget.evictExcess()
      }
      for (const { frames, plain } of tables)
        for (const [page, byte] of plain.entries())
          expect(frames.page(page).every((each) => each === byte)).toBe(true)
    }),
    { numRuns: propertyRuns(15) },
  )
})

test('behavior: a table whose pages are evicted returns its memory', () => {
  const slabBytes = 1 << 21
  const pages = 1 << 16
  const budget = new PageBudget({
    residentBytesMax: 4 * slabBytes,
    openFile: (name, bytes) => new PageFile(directory, name, bytes),
    schedule: () => undefined,
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  const tables = ['one', 'two', 'three', 'four'].map((name) => {
    const frames = new PageFrames({ pageBytes: pages, slabBytes, viewOf: Buffer.from })
    budget.add(name, frames)
    return frames
  })
  // Fills each table with 13 MB, one table after another.
  for (const frames of tables)
    for (let page = 0; page < 200; page += 1) {
      frames.push()
      budget.evictExcess()
    }
  const framesOf = (frames: PageFrames) => frames.frameCount * pages
  const bytes = tables.reduce((sum, frames) => sum + framesOf(frames), 0)
  expect(budget.residentBytes()).toBeLessThanOrEqual(4 * slabBytes)
  // Each table may have one partly used slab.
  expect(bytes).toBeLessThan(8 * slabBytes)
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
  const frames = new PageFrames({ pageBytes, slabBytes: 4 * pageBytes, viewOf: Buffer.from })
  frames.push()
  frames.adoptBase(base.length, {
    read: (page, to) => void to.fill(base[page]!),
    write: () => expect.unreachable('nobody writes to it'),
  })
  const budget = new PageBudget({
    residentBytesMax: 2 * pageBytes,
    openFile: (name, bytes) => new CountedFile(directory, name, bytes),
    schedule: () => undefined,
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  budget.add('test', frames)
  expect(frames.residentCount).toBe(1)
  const all = () => base.map((_, page) => frames.page(page)[0])
  expect(all()).toEqual(base)
  budget.evictExcess()
  // The pages were only read, so none was written.
  expect([frames.residentCount <= 2, writes]).toEqual([true, 0])
  frames.page(7).fill(99)
  budget.evictExcess()
  expect(all()).toEqual(base.map((byte, page) => (page === 7 ? 99 : byte)))
  budget.evictExcess()
  expect(writes).toBe(1)
  frames.push()
  frames.page(base.length).fill(50)
  expect(all()[7]).toBe(99)
  budget.evictExcess()
  expect([frames.page(base.length)[0], writes]).toEqual([50, 2])
})

test('behavior: evicting a page compares it with the disk only if a write happened since it was loaded', () => {
  const base = Array.from({ length: 20 }, (_, page) => page + 1)
  let reads = 0
  const frames = new PageFrames({ pageBytes, slabBytes: 4 * pageBytes, viewOf: Buffer.from })
  frames.push()
  frames.adoptBase(base.length, {
    read(page, to) {
      reads += 1
      to.fill(base[page]!)
    },
    write: () => expect.unreachable('nobody writes to it'),
  })
  const budget = new PageBudget({
    residentBytesMax: 0,
    openFile: (name, bytes) => new PageFile(directory, name, bytes),
    schedule: () => undefined,
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  budget.add('test', frames)
  /** Evicts all pages and returns how many disk reads that took. */
  const settled = () => {
    const before = reads
    budget.evictExcess()
    expect(frames.residentCount).toBe(1)
    return reads - before
  }
  const lookAt = (...pages: number[]) => pages.map((page) => frames.page(page)[0])
  lookAt(1, 2, 3)
  expect(settled()).toBe(3)
  budget.announceWrites()
  lookAt(1, 2, 3)
  expect(settled()).toBe(0)
  lookAt(1, 2)
  budget.write(() => lookAt(3))
  lookAt(4)
  expect(settled()).toBe(3)
  lookAt(5)
  budget.write(() => frames.page(5).fill(99))
  expect([settled(), ...lookAt(4, 5, 6)]).toEqual([1, 5, 99, 7])
  expect(settled()).toBe(0)
  // Work that throws counts as a write, because it may have changed pages before.
  expect(() =>
    budget.write(() => {
      frames.page(6).fill(98)
      throw new Error('half-way')
    }),
  ).toThrow('half-way')
  settled()
  expect(lookAt(5, 6)).toEqual([99, 98])
})

test('behavior: an index stays in memory only while a market is filled', () => {
  const budget = new PageBudget({
    residentBytesMax: 4 * pageBytes,
    openFile: (name, bytes) => new PageFile(directory, name, bytes),
    schedule: () => undefined,
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  const framesOf = (name: string, kind: 'rows' | 'index') => {
    const frames = new PageFrames({ pageBytes, slabBytes: 4 * pageBytes, viewOf: Buffer.from })
    budget.add(name, frames, kind)
    return frames
  }
  const rows = framesOf('rows', 'rows')
  const index = framesOf('index', 'index')
  budget.whileFilling(() => {
    for (let pages = 0; pages < 20; pages += 1) {
      for (const frames of [rows, index]) frames.push()
      budget.evictExcess()
    }
    expect(index.residentCount).toBe(20)
    expect(rows.residentCount).toBeLessThanOrEqual(4)
  })
  expect(budget.residentBytes()).toBeLessThanOrEqual(4 * pageBytes)
})

test('error: pages that cannot be written stay in memory, with one report', () => {
  const frames = new PageFrames({ pageBytes, slabBytes: 4 * pageBytes, viewOf: Buffer.from })
  const faults: unknown[] = []
  let isFull = true
  const budget = new PageBudget({
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
  budget.add('test', frames)
  for (let page = 0; page < 20; page += 1) {
    frames.push()
    frames.page(page)[0] = page
  }
  budget.evictExcess()
  budget.evictExcess()
  expect([frames.residentCount, faults.length]).toEqual([20, 1])
  isFull = false
  budget.evictExcess()
  expect(frames.residentCount).toBeLessThanOrEqual(2)
  const copy = new Uint8Array(pageBytes)
  for (let page = 0; page < 20; page += 1) {
    frames.copyPage(page, copy)
    expect(copy[0]).toBe(page)
  }
})

test('behavior: many reads between two entries schedule one eviction', () => {
  const frames = new PageFrames({ pageBytes, slabBytes: 4 * pageBytes, viewOf: Buffer.from })
  const due: (() => void)[] = []
  const budget = new PageBudget({
    residentBytesMax: 20 * pageBytes,
    openFile: (name, bytes) => new PageFile(directory, name, bytes),
    schedule: (settle) => due.push(settle),
    onWriteError: (error) => expect.unreachable(String(error)),
  })
  budget.add('test', frames)
  for (let page = 0; page < 100; page += 1) frames.push()
  budget.evictExcess()
  for (let page = 1; page < 100; page += 1) frames.page(page)
  expect([frames.residentCount, due.length]).toEqual([100, 1])
  for (const settle of due.splice(0)) settle()
  expect(frames.residentCount).toBeLessThanOrEqual(20)
  for (let page = 1; page < 100; page += 1) frames.page(page)
  expect(due).toHaveLength(1)
})

test('error: a page that cannot be read throws, and is read again', () => {
  const frames = new PageFrames({ pageBytes, slabBytes: 4 * pageBytes, viewOf: Buffer.from })
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
    frames.push()
    frames.page(page).fill(page)
  }
  frames.evict(3, store)
  isBroken = true
  for (let left = 2; left > 0; left -= 1) expect(() => frames.page(2)).toThrow('i/o error')
  expect(frames.residentCount).toBe(1)
  isBroken = false
  expect([1, 2, 3].map((page) => frames.page(page)[0])).toEqual([1, 2, 3])
})
