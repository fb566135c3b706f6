import { expect, test } from 'vitest'
import { editDistance, nearest } from './nearest.ts'

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
  expect(nearest('prot', ['host', 'port'])).toBe('port')
  expect(nearest('zzzz', ['host', 'port'])).toBeNull()
  expect(nearest('x', [])).toBeNull()
})

test('behavior: a whole part of a name that was left out', () => {
  expect(nearest('url', ['ws_urls', 'http_url', 'ur'])).toBe('http_url')
  expect(nearest('rpc_url', ['rpc', 'kind'])).toBe('rpc')
})
