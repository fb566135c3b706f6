import { expect, test } from 'vitest'
import { canonicalPair, canonicalToken } from './addresses.ts'
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

test('behavior: EVM addresses are answered in lower case', () => {
  const address = `0x${'aB'.repeat(20)}`
  expect(canonicalToken('evm', address)).toBe(address.toLowerCase())
  expect(canonicalPair('evm', `0x${'aB'.repeat(32)}`)).toBe(`0x${'ab'.repeat(32)}`)
})

test('error: lengths that no EVM address has', () => {
  expect(canonicalToken('evm', `0x${'ab'.repeat(32)}`)).toBeNull()
  expect(canonicalToken('evm', 'ab'.repeat(20))).toBeNull()
  expect(canonicalPair('evm', `0x${'ab'.repeat(21)}`)).toBeNull()
  expect(canonicalPair('evm', `0x${'zz'.repeat(20)}`)).toBeNull()
})

test('behavior: Solana addresses keep their case and must be 32 bytes', () => {
  const mint = 'So11111111111111111111111111111111111111112'
  const program = '11111111111111111111111111111111'
  expect(canonicalToken('solana', mint)).toBe(mint)
  expect(canonicalPair('solana', program)).toBe(program)
  expect(canonicalToken('solana', `${program}1`)).toBeNull()
  expect(canonicalToken('solana', mint.replace('S', '0'))).toBeNull()
  expect(canonicalToken('solana', 'z'.repeat(44))).toBeNull()
})
