import { expect, test } from 'vitest'
import { explorerUrl } from './explorers.ts'

const token = `0x${'ab'.repeat(20)}`

test('default: a token and an address of a known chain', () => {
  expect(explorerUrl('eth', 'token', token)).toBe(`https://etherscan.io/token/${token}`)
  expect(explorerUrl('base', 'address', token)).toBe(`https://basescan.org/address/${token}`)
  expect(explorerUrl('solana', 'address', 'So1')).toBe('https://solscan.io/account/So1')
  expect(explorerUrl('solana', 'token', 'So1')).toBe('https://solscan.io/token/So1')
})

test('behavior: what nobody shows has no link', () => {
  expect(explorerUrl('local', 'token', token)).toBe(null)
  expect(explorerUrl('eth', 'address', `0x${'ab'.repeat(32)}`)).toBe(null)
})
