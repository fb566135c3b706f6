import { expect, test } from 'vitest'
import { textOf } from '../encoded.ts'
import { encodedRow } from './encodedRow.ts'
import { HeldRows } from './heldRows.ts'
import { createRowMemory } from './rowMemory.ts'
import { writeTextRow } from './writeRow.ts'

function createRig() {
  const memory = createRowMemory({ clock: { nowMs: () => 0 }, bytesMax: 64_000 })
  const rowOf = (n: number) => ({
    lasting: writeTextRow(memory.lasting, `{"row":${n},"text":"${'x'.repeat(n % 700)}"`),
    moving: writeTextRow(memory.moving, `,"block":${n}}`),
  })
  const expectRow = (held: HeldRows, at: number, n: number) => {
    const { lasting, moving } = held.rows[at]!
    const row = JSON.parse(textOf(encodedRow([lasting, moving])))
    expect(row).toEqual({ row: n, text: 'x'.repeat(n % 700), block: n })
  }
  return { memory, rowOf, expectRow }
}

test('default: what is held stays whatever is written', () => {
  const { memory, rowOf, expectRow } = createRig()
  const held = new HeldRows(memory)
  for (let n = 0; n < 3; n += 1) held.add(rowOf(n))
  held.hold()
  for (let n = 0; n < 10_000; n += 1) rowOf(n)
  for (let n = 0; n < 3; n += 1) expectRow(held, n, n)
})

test('behavior: a list that is larger than the memory is whole', () => {
  const { memory, rowOf, expectRow } = createRig()
  const held = new HeldRows(memory)
  for (let n = 0; n < 2_000; n += 1) held.add(rowOf(n))
  for (let n = 0; n < 2_000; n += 1) expectRow(held, n, n)
})
