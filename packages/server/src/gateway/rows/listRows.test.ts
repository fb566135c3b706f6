import { expect, test } from 'vitest'
import { textOf } from '../operation/encoded.ts'
import { writeTextRow } from './cache/byteRing.ts'
import { encodedRow } from './cache/encodedRow.ts'
import { createRowMemory } from './cache/rowMemory.ts'
import { ListRows } from './listRows.ts'

function createRig() {
  const memory = createRowMemory({ clock: { nowMs: () => 0 }, bytesMax: 64_000 })
  const rowOf = (n: number) => ({
    lasting: writeTextRow(memory.lasting, `{"row":${n},"text":"${'x'.repeat(n % 700)}"`),
    moving: writeTextRow(memory.moving, `,"block":${n}}`),
  })
  const expectRow = (held: ListRows, at: number, n: number) => {
    const { lasting, moving } = held.rows[at]!
    const row = JSON.parse(textOf(encodedRow([lasting, moving])))
    expect(row).toEqual({ row: n, text: 'x'.repeat(n % 700), block: n })
  }
  return { memory, rowOf, expectRow }
}

test('default: what is held stays whatever is written', () => {
  const { memory, rowOf, expectRow } = createRig()
  const held = new ListRows(memory)
  for (let n = 0; n < 3; n += 1) held.add(rowOf(n))
  held.hold()
  for (let n = 0; n < 10_000; n += 1) rowOf(n)
  for (let n = 0; n < 3; n += 1) expectRow(held, n, n)
})

test('behavior: a list that is larger than the memory is whole', () => {
  const { memory, rowOf, expectRow } = createRig()
  const held = new ListRows(memory)
  for (let n = 0; n < 2_000; n += 1) held.add(rowOf(n))
  for (let n = 0; n < 2_000; n += 1) expectRow(held, n, n)
})

test('behavior: over a pause rows stand, or are known not to', () => {
  const stood = [0, 1, 10, 30, 60, 100, 300, 10_000].map((between) => {
    const { memory, rowOf, expectRow } = createRig()
    const held = new ListRows(memory)
    for (let n = 0; n < 5; n += 1) {
      held.add(rowOf(n))
      held.pause()
      for (let other = 0; other < between; other += 1) rowOf(other)
      if (!held.isValid()) break
      for (let at = 0; at <= n; at += 1) expectRow(held, at, at)
    }
    return held.isValid()
  })
  expect([stood[0], stood[1], stood.at(-1)]).toEqual([true, true, false])
})
