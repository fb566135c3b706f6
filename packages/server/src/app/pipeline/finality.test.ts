import { expect, test } from 'vitest'
import { createBlockUndos } from './finality.ts'

const refOf = (number: number, fork = '') => {
  return {
    number,
    hash: `h${number}${fork}`,
    parentNumber: number - 1,
    parentHash: '',
    timeS: number,
  }
}
const undoOf = (number: number) => new Uint8Array([number])

test('default: returns the undo record of a block once', () => {
  const undos = createBlockUndos([], 4)
  undos.add(refOf(1), undoOf(1))
  expect(undos.take(refOf(1))).toEqual(undoOf(1))
  expect(() => undos.take(refOf(1))).toThrow('a block that is reverted was kept')
})

test('behavior: has undo records of earlier runs, except for final blocks', () => {
  const known = [
    { ref: refOf(1), undo: null },
    { ref: refOf(2), undo: undoOf(2) },
  ]
  const undos = createBlockUndos(known, 4)
  expect(undos.take(refOf(2))).toEqual(undoOf(2))
  expect(() => undos.take(refOf(1))).toThrow('was kept')
})

test('behavior: keeps the newest records up to the limit', () => {
  const undos = createBlockUndos([{ ref: refOf(0), undo: undoOf(0) }], 3)
  for (const number of [1, 2, 3]) undos.add(refOf(number), undoOf(number))
  for (const number of [3, 2, 1]) expect(undos.take(refOf(number))).toEqual(undoOf(number))
  expect(() => undos.take(refOf(0))).toThrow('was kept')
})

test('behavior: forgets final blocks and keeps those above', () => {
  const undos = createBlockUndos([], 10)
  for (const number of [1, 2, 3, 4]) undos.add(refOf(number), undoOf(number))
  undos.forgetUpTo(2)
  expect(undos.take(refOf(4))).toEqual(undoOf(4))
  expect(undos.take(refOf(3))).toEqual(undoOf(3))
  expect(() => undos.take(refOf(2))).toThrow('was kept')
})

test('behavior: a block committed again has its latest undo record', () => {
  const undos = createBlockUndos([], 3)
  undos.add(refOf(1), undoOf(1))
  undos.add(refOf(2, 'a'), undoOf(20))
  undos.take(refOf(2, 'a'))
  undos.add(refOf(2, 'b'), undoOf(21))
  undos.take(refOf(2, 'b'))
  undos.add(refOf(2, 'a'), undoOf(22))
  undos.forgetUpTo(1)
  expect(undos.take(refOf(2, 'a'))).toEqual(undoOf(22))
})
