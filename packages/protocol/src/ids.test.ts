import { expect, test } from 'vitest'
import { base58Ids, evmIds } from './chainIds.ts'
import { formatId, parseId } from './ids.ts'

test('default', () => {
  expect(parseId('0xAb-eth')).toEqual({ address: '0xAb', chain: 'eth' })
  expect(formatId({ address: '0xab', chain: 'eth' })).toBe('0xab-eth')
})

test('behavior: the last hyphen splits', () => {
  expect(parseId('a-b-eth')).toEqual({ address: 'a-b', chain: 'eth' })
})

test.each(['', '-', 'eth', '-eth', '0xab-'])('error: %j is no id', (text) => {
  expect(parseId(text)).toBeNull()
})

test('behavior: hex is answered in lower case', () => {
  const address = `0x${'aB'.repeat(20)}`
  expect(evmIds.token(address)).toBe(address.toLowerCase())
  expect(evmIds.pair(`0x${'aB'.repeat(32)}`)).toBe(`0x${'ab'.repeat(32)}`)
})

test('error: lengths that no EVM address has', () => {
  expect(evmIds.token(`0x${'ab'.repeat(32)}`)).toBeNull()
  expect(evmIds.token('ab'.repeat(20))).toBeNull()
  expect(evmIds.pair(`0x${'ab'.repeat(21)}`)).toBeNull()
  expect(evmIds.pair(`0x${'zz'.repeat(20)}`)).toBeNull()
})

test('behavior: base58 keeps its case, and an address must be 32 bytes', () => {
  const mint = 'So11111111111111111111111111111111111111112'
  const program = '11111111111111111111111111111111'
  expect(base58Ids.token(mint)).toBe(mint)
  expect(base58Ids.pair(program)).toBe(program)
  expect(base58Ids.token(`${program}1`)).toBeNull()
  expect(base58Ids.token(mint.replace('S', '0'))).toBeNull()
  expect(base58Ids.token('z'.repeat(44))).toBeNull()
})

test('behavior: transactions are 32 bytes of hex or 64 of base58', () => {
  expect(evmIds.transaction(`0x${'aB'.repeat(32)}`)).toBe(`0x${'ab'.repeat(32)}`)
  expect(evmIds.transaction(`0x${'ab'.repeat(20)}`)).toBeNull()
  expect(base58Ids.transaction('1'.repeat(64))).toBe('1'.repeat(64))
  // The largest number of 64 bytes is 67rpwL... in base58, of 88 digits.
  expect(base58Ids.transaction(`5${'z'.repeat(87)}`)).toBe(`5${'z'.repeat(87)}`)
  expect(base58Ids.transaction('z'.repeat(88))).toBeNull()
  expect(base58Ids.transaction('1'.repeat(32))).toBeNull()
})
