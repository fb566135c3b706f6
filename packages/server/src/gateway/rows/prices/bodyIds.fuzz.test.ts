// For bodies in and near the usual form, the byte reader must find exactly what JSON.parse finds,
// or nothing.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import { bodyIdsOfTexts, createBodyIdsReader, idTextOf } from './bodyIds.ts'

const countMax = 4

// A single reader: leftovers of a body must not appear in the next result.
const readIds = createBodyIdsReader('ids', countMax)

function found(text: string) {
  const result = readIds(Buffer.from(text))
  if (result === null) return null
  const { ids, rest } = result
  const texts = Array.from({ length: ids.count }, (_, at) => idTextOf(ids, at))
  expect(ids.hashes.subarray(0, ids.count)).toEqual(bodyIdsOfTexts(texts).hashes)
  return { rest, ids: texts }
}

test('default: finds the ids and the other members', () => {
  expect(found('{"ids":["a","b-c"],"min":0}')).toEqual({ ids: ['a', 'b-c'], rest: { min: 0 } })
  expect(found('{"ids":["a"]}')).toEqual({ ids: ['a'], rest: {} })
  expect(found('{"ids":["a"]} \n')).toEqual({ ids: ['a'], rest: {} })
})

test.each([
  '',
  '{',
  '{}',
  '{"ids":[]}',
  '{"ids":["a"]',
  '{"ids":["a"],}',
  '{"ids":["a",]}',
  '{"ids":["a"]"min":0}',
  '{"ids":["a"]}}',
  '{"ids":["a" ]}',
  '{"ids":[ "a"]}',
  '{ "ids":["a"]}',
  '{"ids":["a"] }',
  '{"ids":["a",1]}',
  '{"ids":["a\\u0061"]}',
  '{"ids":["é"]}',
  '{"ids":["a\n"]}',
  '{"ids":["a"],"é":1}',
  '{"ids":["a"],"ids":["b"]}',
  '{"ids":["a","b","c","d","e"]}',
  '{"min":0,"ids":["a"]}',
  '[{"ids":["a"]}]',
])('behavior: left to JSON.parse: %j', (text) => {
  expect(found(text)).toBe(null)
})

test('behavior: never differs from JSON.parse', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      ' ',
      '\\',
      '"ids"',
      '{"ids":[',
      '"a"',
      '"b"',
    ),
    fc.constantFrom('"],', '"]}', '"min":0', '"ids":["c"]', 'é', '\u0000', '0', 'null', '\ufeff'),
  )
  const near = fc
    .tuple(fc.constantFrom('{"ids":["a"', '{"ids":["a","b"', ''), fc.array(piece, { maxLength: 8 }))
    .map(([start, pieces]) => start + pieces.join(''))
  fc.assert(
    fc.property(near, (text) => {
      const result = found(text)
      if (result === null) return
      expect({ ids: result.ids, ...result.rest }).toEqual(JSON.parse(text))
    }),
    { numRuns: propertyRuns(3_000) },
  )
})

test('behavior: ids parsed as JSON have the same positions and hashes', () => {
  const texts = ['a', 'é🐕', '', 'b']
  const ids = bodyIdsOfTexts(texts)
  expect(ids.count).toBe(4)
  for (const [at, text] of texts.entries()) {
    expect(idTextOf(ids, at)).toBe(text)
    const bytes = ids.bytes.subarray(ids.bounds[at * 2], ids.bounds[at * 2 + 1])
    expect(Buffer.from(bytes).toString()).toBe(text)
  }
})
