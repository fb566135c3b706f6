import { expect, test } from 'vitest'
import {
  countText,
  exactText,
  figureOf,
  knownOf,
  percentText,
  priceText,
  shareText,
  shortAddress,
  shortText,
  spanText,
  timeText,
  usdText,
} from './format.ts'

test('default: prices have enough digits to tell one from the next', () => {
  const prices = [
    '2519.4312',
    '895.0082',
    '99.3754',
    '1.23456',
    '0.0421345',
    '0.00000012345',
    '0',
    '-3.5',
    '0.999999',
  ]
  expect(prices.map(priceText)).toEqual([
    ...['2,519.43', '895.01', '99.375', '1.2346', '0.04213', '0.0₆1235', '0', '-3.5000', '1.0000'],
  ])
})

test('default: large amounts are short', () => {
  const amounts = [
    '1234567890123',
    '2350000000',
    '12340000',
    '4560',
    '789',
    '12.345',
    '0.0001',
    '0',
  ]
  expect(amounts.map(shortText)).toEqual([
    ...['1.23T', '2.35B', '12.3M', '4.56K', '789', '12.35', '0.0001000', '0'],
  ])
  // Rounding up reaches the next unit.
  const rounded = ['999.499', '999.9996', '-999.9996', '999499', '999999.9', '12345678901234567']
  expect(rounded.map(shortText)).toEqual(['999', '1.00K', '-1.00K', '999K', '1.00M', '12,346T'])
  expect([usdText('1200'), usdText('-1200'), usdText(undefined)]).toEqual([
    '$1.20K',
    '-$1.20K',
    '–',
  ])
})

test('default: changes have their sign, and shares are percent', () => {
  expect(['1.234', '-0.001', '0', '1234.5', '123.45'].map(percentText)).toEqual([
    ...['+1.23%', '0.00%', '0.00%', '+1,235%', '+123.5%'],
  ])
  expect([shareText(0.0123), shareText(0.5)]).toEqual(['1.23%', '50.0%'])
})

test('behavior: what is shown on hover has every digit', () => {
  expect(exactText('1234567.000000000000000001')).toBe('1,234,567.000000000000000001')
  expect(exactText('0.00000000012345678901234')).toBe('0.00000000012345678901234')
})

test('behavior: what is not there is a dash', () => {
  expect([priceText(undefined), percentText(''), countText(null), shortText('x')]).toEqual([
    ...['–', '–', '–', '–'],
  ])
})

test('default: spans in one unit, addresses by their ends', () => {
  expect([-3, 5, 65, 7_300, 200_000].map(spanText)).toEqual(['0s', '5s', '1m', '2h', '2d'])
  expect(shortAddress('0x1234567890abcdef1234567890abcdef12345678')).toBe('0x1234…5678')
})

test('default: times are those of where the reader is', () => {
  const at = new Date(2026, 2, 9, 14, 5, 0)
  expect(timeText(at.getTime() / 1_000)).toBe('2026-03-09 14:05:00')
})

test('behavior: what is 0 for want of knowledge is not told as a number', () => {
  expect(['12.5', '0', '0.00', '', null, undefined].map(knownOf)).toEqual([
    ...['12.5', undefined, undefined, undefined, undefined, undefined],
  ])
})

test('behavior: a 0 that a row marks as unknown is not shown, any other figure is', () => {
  const row = {
    tvl: '0',
    tvl_known: false as const,
    reserve0: '0',
    reserve1: '5',
    reserve1_known: false as const,
  }
  expect(figureOf(row, 'tvl')).toBeUndefined()
  expect(figureOf(row, 'reserve0')).toBe('0')
  // A sum of the known parts.
  expect(figureOf(row, 'reserve1')).toBe('5')
})
