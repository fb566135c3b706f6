import { expect, test } from 'vitest'
import { parseHeader } from './rawBlock.ts'

const raw = { number: '0x9', hash: `0x${'f6'.repeat(32)}`, parentHash: `0x${'00'.repeat(32)}` }

const timeOf = (fields: object) => {
  const { timeS, timeMs } = parseHeader({ ...raw, timestamp: '0x2a', ...fields })!
  return [timeS, timeMs]
}

test('default: nodes that give whole seconds', () => {
  expect(timeOf({})).toEqual([42, undefined])
  expect(parseHeader({ ...raw, timestamp: '0x2a' })).not.toHaveProperty('timeMs')
})

test('behavior: milliseconds as Base, BSC and Sei give them', () => {
  // The example of base/base, crates/common/rpc-types/src/base_block.rs.
  expect(timeOf({ timestampMs: '0xa4d8' })).toEqual([42, 42_200])
  expect(timeOf({ milliTimestamp: '0xa4d8' })).toEqual([42, 42_200])
  expect(timeOf({ timestampMs: '0xa410' })).toEqual([42, 42_000])
})

test.each([
  ['a second before', '0xa40f'],
  ['a second behind', '0xa7f8'],
  ['seconds', '0x2a'],
  ['decimal digits', '42200'],
  ['a number', 42_200],
  ['leading zeros', '0x0a4d8'],
  ['no digits', '0x'],
  ['null', null],
  ['an object', { toString: 1 }],
])(
  'behavior: milliseconds that are not a quantity within the second are ignored: %s',
  (_, value) => {
    expect(timeOf({ timestampMs: value })).toEqual([42, undefined])
  },
)
