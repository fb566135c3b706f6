import { expect, test } from 'vitest'
import { editDistance, nearestWord } from './checkShape.ts'

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['port', 'prot', 2],
  ['same', 'same', 0],
])('default: %j to %j is %d', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance)
  expect(editDistance(b, a)).toBe(distance)
})

test('behavior: the nearest word, and none when all are far', () => {
  expect(nearestWord('prot', ['host', 'port'])).toBe('port')
  expect(nearestWord('zzzz', ['host', 'port'])).toBeNull()
  expect(nearestWord('x', [])).toBeNull()
})

test('behavior: a whole part of a name that was left out', () => {
  expect(nearestWord('url', ['ws_urls', 'http_url', 'ur'])).toBe('http_url')
  expect(nearestWord('rpc_url', ['rpc', 'kind'])).toBe('rpc')
})
