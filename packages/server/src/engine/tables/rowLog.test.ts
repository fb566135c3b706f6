import { expect, test } from 'vitest'
import { RowLog } from './rowLog.ts'
import { columnNames } from './rowTable.ts'
import { UndoLog } from './undoLog.ts'

const layoutOf = (width: number) => ({
  name: 'rows',
  columns: columnNames({ of: 0 }, { of: width }),
})

const value = (log: RowLog, row: number) => log.page(row)[log.at(row)]!

function append(log: RowLog, count: number): void {
  for (let left = count; left > 0; left -= 1) {
    const row = log.append()
    log.page(row)[log.at(row)] = row
  }
}

test('default: rows are appended at the tail and removed at the head', () => {
  const log = new RowLog(new UndoLog(), layoutOf(2))
  append(log, 3)
  log.head += 1
  expect([log.head, log.tail]).toEqual([2, 4])
  expect(value(log, 2)).toBe(2)
})

test('behavior: a revert restores head, tail and values', () => {
  const undo = new UndoLog()
  const log = new RowLog(undo, layoutOf(2))
  append(log, 4)
  const first = undo.begin()
  log.head = 3
  append(log, 2)
  log.save(4)
  log.page(4)[log.at(4)] = 40
  undo.end()
  const second = undo.begin()
  log.save(4)
  log.save(5)
  log.page(4)[log.at(4)] = 41
  log.page(5)[log.at(5)] = 51
  undo.end()
  undo.revert(second)
  expect([log.head, log.tail, value(log, 4), value(log, 5)]).toEqual([3, 7, 40, 5])
  undo.revert(first)
  expect([log.head, log.tail, value(log, 1), value(log, 4)]).toEqual([1, 5, 1, 4])
})

test('behavior: a row appended again after a revert is zeroed', () => {
  const undo = new UndoLog()
  const log = new RowLog(undo, layoutOf(2))
  const record = undo.begin()
  append(log, 1)
  undo.end()
  undo.revert(record)
  const row = log.append()
  expect([row, value(log, row)]).toEqual([1, 0])
})

test('behavior: removed rows are kept while a revert may restore them', () => {
  const undo = new UndoLog()
  const log = new RowLog(undo, layoutOf(1 << 12))
  append(log, 40)
  const first = undo.begin()
  log.head = 30
  undo.end()
  const second = undo.begin()
  log.head = 40
  append(log, 1)
  undo.end()
  undo.discard(first)
  undo.revert(second)
  expect(log.head).toBe(30)
  for (let row = 30; row < log.tail; row += 1) expect(value(log, row)).toBe(row)
})

test('behavior: memory is constant while as many rows are removed as added', () => {
  const undo = new UndoLog()
  const log = new RowLog(undo, layoutOf(1 << 12))
  const pages = new Set<Float64Array>()
  for (let block = 0; block < 200; block += 1) {
    const record = undo.begin()
    append(log, 3)
    pages.add(log.page(log.tail - 1))
    log.head = Math.max(1, log.tail - 5)
    undo.end()
    undo.discard(record)
    for (let row = log.head; row < log.tail; row += 1) expect(value(log, row)).toBe(row)
  }
  expect(pages.size).toBeLessThan(10)
})
