import { expect, test } from 'vitest'
import { RowTable } from './rowTable.ts'
import { UndoLog } from './undoLog.ts'

const rowOf = (table: RowTable, row: number) =>
  Array.from(table.page(row).subarray(table.at(row), table.at(row) + table.width))

test('default', () => {
  const table = new RowTable(new UndoLog(), 3)
  const row = table.alloc()
  table.page(row)[table.at(row) + 2] = 7
  expect(row).toBe(1)
  expect(rowOf(table, row)).toEqual([0, 0, 7])
  expect(table.count).toBe(2)
})

test('behavior: a freed row is given out again, zeroed', () => {
  const table = new RowTable(new UndoLog(), 3)
  const [first, second] = [table.alloc(), table.alloc()]
  table.page(first)[table.at(first) + 1] = 5
  table.free(first)
  table.free(second)
  expect(table.alloc()).toBe(second)
  expect(table.alloc()).toBe(first)
  expect(rowOf(table, first)).toEqual([0, 0, 0])
  expect(table.alloc()).toBe(3)
})

test('behavior: a revert gives back values, rows and bigints of the block', () => {
  const undo = new UndoLog()
  const table = new RowTable(undo, 2, 1)
  const row = table.alloc()
  table.setBig(row, 0, 1n)
  const first = undo.begin()
  table.touch(row)
  table.page(row)[table.at(row)] = 1
  table.setBig(row, 0, 2n)
  table.alloc()
  undo.end()
  const second = undo.begin()
  table.touch(row)
  table.touch(row)
  table.page(row)[table.at(row)] = 2
  expect(second.rows).toEqual([row])
  undo.end()
  undo.revert(second)
  expect([rowOf(table, row)[0], table.big(row, 0), table.count]).toEqual([1, 2n, 3])
  undo.revert(first)
  expect([rowOf(table, row)[0], table.big(row, 0), table.count]).toEqual([0, 1n, 2])
})

test('behavior: rows keep their values when the table grows over many pages', () => {
  const table = new RowTable(new UndoLog(), 16)
  for (let index = 0; index < 5_000; index += 1) {
    const row = table.alloc()
    table.page(row)[table.at(row) + 15] = row
  }
  expect(table.pages.length).toBeGreaterThan(3)
  for (const row of [1, 1_023, 1_024, 1_025, 5_000]) expect(rowOf(table, row)[15]).toBe(row)
})
