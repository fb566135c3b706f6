// Rows of any size in rings of any size: what is found is what was written, and what was given out stays for a while.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteRing, type RowBytes, segmentsMin, writeRow, writeTextRow } from './byteRing.ts'

function createRing(segmentBytes: number, segments: number, keep = { keepMs: 0, nowMs: () => 0 }) {
  let left = segments
  const taken: Buffer[] = []
  const ring = new ByteRing({
    segmentBytes,
    ...keep,
    takeSegment() {
      if (left === 0) return null
      left -= 1
      taken.push(Buffer.alloc(segmentBytes))
      return taken.at(-1)!
    },
  })
  return { ring, taken }
}

function textOfRow(row: RowBytes): string {
  const to = Buffer.alloc(row.sizeBytes + 2, '#')
  expect(row.write(to, 1)).toBe(1 + row.sizeBytes)
  expect([to[0], to.at(-1)]).toEqual([0x23, 0x23])
  return to.toString('utf8', 1, 1 + row.sizeBytes)
}

const text = fc.string({ unit: fc.constantFrom('a', '{', 'é', '狗', '🐸'), maxLength: 30 })
const move = fc.record({ id: fc.nat({ max: 20 }), text, isWrite: fc.boolean() })

test('behavior: what is found is what was written', () => {
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 300 }),
      fc.integer({ min: 20, max: 90 }),
      fc.integer({ min: segmentsMin, max: 30 }),
      (moves, segmentBytes, segments) => {
        const { ring, taken } = createRing(segmentBytes, segments)
        const written = new Map<number, { text: string; row: RowBytes }>()
        for (const { id, text: next, isWrite } of moves) {
          const known = written.get(id)
          if (isWrite || known === undefined) {
            const row = writeTextRow(ring, next)
            written.set(id, { text: next, row })
            expect(textOfRow(row)).toBe(next)
            continue
          }
          const { segment, generation, at, sizeBytes } = known.row
          const found = ring.find(segment, generation, at, sizeBytes)
          if (found === null) {
            ring.miss()
            written.delete(id)
            continue
          }
          expect(textOfRow(found)).toBe(known.text)
          expect(textOfRow(found.held())).toBe(known.text)
          written.set(id, { text: known.text, row: found })
        }
        expect(taken.length).toBeLessThanOrEqual(segments)
      },
    ),
  )
})

test('behavior: what is given out stays for a while, and is not taken for another then', () => {
  fc.assert(
    fc.property(fc.integer({ min: 16, max: 60 }), fc.nat({ max: 100 }), (segments, before) => {
      const { ring } = createRing(10, segments)
      const row = writeTextRow(ring, 'a row')
      for (let n = 0; n < before; n += 1) {
        if (n % 3 === 0) ring.miss()
        writeTextRow(ring, 'before    ')
      }
      const found = ring.find(row.segment, row.generation, row.at, row.sizeBytes)
      if (found === null) return
      for (let n = ring.lasting; n > 0; n -= 1) writeTextRow(ring, 'after     ')
      expect(textOfRow(found)).toBe('a row')
      const held = found.held()
      for (let n = 0; n < segments; n += 1) writeTextRow(ring, 'after     ')
      expect(() => textOfRow(found)).toThrow('in the turn')
      expect(ring.find(found.segment, found.generation, found.at, found.sizeBytes)).toBeNull()
      expect(textOfRow(held)).toBe('a row')
    }),
  )
})

test('behavior: memory is taken for what is missed, and for nothing else', () => {
  const { ring, taken } = createRing(10, 100)
  for (let n = 0; n < 200; n += 1) writeTextRow(ring, '0123456789')
  expect(taken).toHaveLength(segmentsMin)
  for (let n = 0; n < 20; n += 1) {
    ring.miss()
    writeTextRow(ring, '0123456789')
  }
  expect(taken).toHaveLength(segmentsMin + 20)
})

test('behavior: memory is taken for what is new', () => {
  let nowMs = 0
  const { ring, taken } = createRing(10, 100, { keepMs: 10, nowMs: () => nowMs })
  for (let n = 0; n < 20; n += 1) writeTextRow(ring, '0123456789')
  expect(taken).toHaveLength(20)
  nowMs += 100
  for (let n = 0; n < 200; n += 1) {
    nowMs += 1
    writeTextRow(ring, '0123456789')
  }
  expect(taken).toHaveLength(20)
})

test('behavior: a row that no segment can hold has bytes of its own', () => {
  const { ring } = createRing(10, segmentsMin)
  const row = writeTextRow(ring, '0123456789a')
  for (let n = 0; n < 30; n += 1) writeTextRow(ring, 'other')
  expect(textOfRow(row)).toBe('0123456789a')
  expect(ring.find(row.segment, row.generation, row.at, row.sizeBytes)).toBeNull()
})

test('behavior: rows of texts and other rows', () => {
  const { ring } = createRing(100, segmentsMin)
  const row = writeRow(ring, ['狗', writeTextRow(ring, 'é'), '', 'plain'])
  expect(textOfRow(row)).toBe('狗éplain')
})
