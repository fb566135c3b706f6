import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keptMembers, type Wanted } from './selectJson.ts'

const members = (names: Record<string, Wanted | null>): Wanted => ({
  type: 'object',
  members: new Map(Object.entries(names)),
})

test('default: selects members of objects, of lists of objects, and of nested objects', () => {
  expect(keptMembers('{"a":1,"b":{"c":2,"d":[3]},"e":"x"}', members({ b: null, e: null }))).toBe(
    '{"b":{"c":2,"d":[3]},"e":"x"}',
  )
  const list: Wanted = { type: 'list', of: members({ b: members({ d: null }) }) }
  expect(keptMembers('[{"a":1,"b":{"c":2,"d":[3]}},{"b":{"d":[]}},{}]', list)).toBe(
    '[{"b":{"d":[3]}},{"b":{"d":[]}},{}]',
  )
  const map: Wanted = { type: 'map', of: members({ a: null }) }
  expect(keptMembers('{"x":{"a":1,"b":2},"y":{"b":2}}', map)).toBe('{"x":{"a":1},"y":{}}')
})

test('behavior: numbers and texts keep their spelling', () => {
  const json = '{"a":0.0000001,"b":"\\"},{\\\\","c":12345678901234567890}'
  expect(keptMembers(json, members({ a: null, c: null }))).toBe(
    '{"a":0.0000001,"c":12345678901234567890}',
  )
  expect(keptMembers(json, members({ b: null }))).toBe('{"b":"\\"},{\\\\"}')
})

test('behavior: a value of another type than selected stays unchanged', () => {
  expect(keptMembers('{"a":null,"b":[1]}', members({ a: members({}), b: members({}) }))).toBe(
    '{"a":null,"b":[1]}',
  )
  expect(keptMembers('"text"', members({}))).toBe('"text"')
})

test('behavior: equals selecting from the parsed value', () => {
  const names = ['a', 'b', 'c']
  const value = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(fc.array(value), fc.subarray(names), (list, kept) => {
      const wanted = members(Object.fromEntries(kept.map((name) => [name, null])))
      const expected = list.map((each) =>
        Object.fromEntries(Object.entries(each).filter(([name]) => kept.includes(name))),
      )
      const text = keptMembers(JSON.stringify(list), { type: 'list', of: wanted })
      expect(text).toBe(JSON.stringify(expected))
    }),
  )
})
