import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MemberSelection, selectMembers } from './fields.ts'

const members = (names: Record<string, MemberSelection | null>): MemberSelection => ({
  type: 'object',
  members: new Map(Object.entries(names)),
})

test('default: selects members of objects, of lists of objects, and of nested objects', () => {
  expect(selectMembers('{"a":1,"b":{"c":2,"d":[3]},"e":"x"}', members({ b: null, e: null }))).toBe(
    '{"b":{"c":2,"d":[3]},"e":"x"}',
  )
  const list: MemberSelection = { type: 'list', of: members({ b: members({ d: null }) }) }
  expect(selectMembers('[{"a":1,"b":{"c":2,"d":[3]}},{"b":{"d":[]}},{}]', list)).toBe(
    '[{"b":{"d":[3]}},{"b":{"d":[]}},{}]',
  )
  const map: MemberSelection = { type: 'map', of: members({ a: null }) }
  expect(selectMembers('{"x":{"a":1,"b":2},"y":{"b":2}}', map)).toBe('{"x":{"a":1},"y":{}}')
})

test('behavior: numbers and texts keep their spelling', () => {
  const json = '{"a":0.0000001,"b":"\\"},{\\\\","c":12345678901234567890}'
  expect(selectMembers(json, members({ a: null, c: null }))).toBe(
    '{"a":0.0000001,"c":12345678901234567890}',
  )
  expect(selectMembers(json, members({ b: null }))).toBe('{"b":"\\"},{\\\\"}')
})

test('behavior: a value of another type than selected stays unchanged', () => {
  expect(selectMembers('{"a":null,"b":[1]}', members({ a: members({}), b: members({}) }))).toBe(
    '{"a":null,"b":[1]}',
  )
  expect(selectMembers('"text"', members({}))).toBe('"text"')
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
      const text = selectMembers(JSON.stringify(list), { type: 'list', of: wanted })
      expect(text).toBe(JSON.stringify(expected))
    }),
  )
})
