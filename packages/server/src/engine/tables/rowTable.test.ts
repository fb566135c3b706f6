import { expect, test } from 'vitest'
import { columnNames, RowTable } from './rowTable.ts'
import { UndoLog } from './undoLog.ts'

const layoutOf = (...parts: number[]) => {
  const width = parts.reduce((sum, part) => sum + part)
  return { name: 'rows', columns: columnNames({ of: 0 }, { of: width }), parts }
}

const rowOf = (table: RowTable, row: number) =>
  Array.from(table.page(row).subarray(table.at(row), table.at(row) + table.width))

test('default: an allocated row is zeroed and keeps what is written', () => {
  const table = new RowTable(new UndoLog(), layoutOf(3))
  const row = table.alloc()
  table.page(row)[table.at(row) + 2] = 7
  expect(row).toBe(1)
  expect(rowOf(table, row)).toEqual([0, 0, 7])
  expect(table.count).toBe(2)
})

test('behavior: a freed row is reused, zeroed', () => {
  const table = new RowTable(new UndoLog(), layoutOf(3))
  const [first, second] = [table.alloc(), table.alloc()]
  table.page(first)[table.at(first) + 1] = 5
  table.free(first)
  table.free(second)
  expect(table.alloc()).toBe(second)
  expect(table.alloc()).toBe(first)
  expect(rowOf(table, first)).toEqual([0, 0, 0])
  expect(table.alloc()).toBe(3)
})

test('behavior: a revert restores the values and rows of the block', () => {
  const undo = new UndoLog()
  const table = new RowTable(undo, layoutOf(2))
  const row = table.alloc()
  const first = undo.begin()
  table.save(row)
  table.page(row)[table.at(row)] = 1
  table.alloc()
  undo.end()
  const second = undo.begin()
  table.save(row)
  table.page(row)[table.at(row)] = 1.5
  table.save(row)
  table.page(row)[table.at(row)] = 2
  expect(second.count).toBe(2)
  undo.end()
  undo.revert(second)
  expect([rowOf(table, row)[0], table.count]).toEqual([1, 3])
  undo.revert(first)
  expect([rowOf(table, row)[0], table.count]).toEqual([0, 2])
})

test('behavior: parts of a row are saved separately', () => {
  const undo = new UndoLog()
  const table = new RowTable(undo, layoutOf(2, 1, 2))
  const row = table.alloc()
  table.page(row).set([1, 2, 3, 4, 5], table.at(row))
  const record = undo.begin()
  table.save(row, 1)
  table.save(row, 2)
  table.page(row).set([3.5, 4.5, 5.5], table.at(row) + 2)
  expect(record.count).toBe(2)
  undo.end()
  undo.revert(record)
  expect(rowOf(table, row)).toEqual([1, 2, 3, 4, 5])
})

test('behavior: a revert clears an allocated row and restores a freed one', () => {
  const undo = new UndoLog()
  const table = new RowTable(undo, layoutOf(3))
  const [first, second] = [table.alloc(), table.alloc()]
  table.page(first).set([7, 8, 9], table.at(first))
  table.free(second)
  const record = undo.begin()
  const again = table.alloc()
  table.page(again).set([1, 1, 1], table.at(again))
  table.free(first)
  const other = table.alloc()
  table.page(other).set([2, 2, 2], table.at(other))
  table.alloc()
  undo.end()
  undo.revert(record)
  expect([again, other, table.count]).toEqual([second, first, 3])
  expect(rowOf(table, first)).toEqual([7, 8, 9])
  expect(rowOf(table, second)).toEqual([0, 0, 0])
  expect(table.alloc()).toBe(second)
})

test('behavior: rows keep their values when the table grows over many pages', () => {
  const table = new RowTable(new UndoLog(), layoutOf(16))
  for (let index = 0; index < 5_000; index += 1) {
    const row = table.alloc()
    table.page(row)[table.at(row) + 15] = row
  }
  expect(table.pages.count).toBeGreaterThan(3)
  for (const row of [1, 1_023, 1_024, 1_025, 5_000]) expect(rowOf(table, row)[15]).toBe(row)
})
