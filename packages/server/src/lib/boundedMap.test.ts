import { expect, test } from 'vitest'
import { BoundedMap } from './boundedMap.ts'

test('default: what was set longest ago goes first', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})

test('behavior: what is used is kept longer, what is only read is not', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2)
  expect([map.use('a'), map.get('b'), map.use('x')]).toEqual([1, 2, undefined])
  map.set('c', 3)
  expect([...map.keys()]).toEqual(['a', 'c'])
})
