import { expect, test } from 'vitest'
import { findChain, suggestChain } from './findChain.ts'

const nameOf = (text: string) => findChain(text)?.name ?? null

test('default: a chain by its name, its id or another name of it', () => {
  expect(['eth', '1', '0x1', 'eip155:1', 'ethereum', 'mainnet', 'eth-mainnet'].map(nameOf)).toEqual(
    Array(7).fill('eth'),
  )
  expect(['base', 'Base', '8453', '0x2105', 'base_mainnet'].map(nameOf)).toEqual(
    Array(5).fill('base'),
  )
  expect(['arbitrum_one', 'arbitrum-one', 'Arbitrum One', '42161'].map(nameOf)).toEqual(
    Array(4).fill('arbitrum'),
  )
  expect(
    ['matic', 'binance', 'bnb', 'xdai', 'op', 'avax', 'hyperliquid', 'sol'].map(nameOf),
  ).toEqual(['polygon', 'bsc', 'bsc', 'gnosis', 'optimism', 'avalanche', 'hyperevm', 'solana'])
})

test('behavior: chains of the config come first', () => {
  const described = { mine: { chain_id: 1 }, eth: { chain_id: 1, stables: [] } }
  expect(findChain('1', { mine: described.mine })).toEqual({
    name: 'mine',
    terms: described.mine,
  })
  expect(findChain('ethereum', described)).toEqual({ name: 'eth', terms: described.eth })
})

test('behavior: of what nobody knows there is none', () => {
  const unknown = ['', '0', '0x', 'moon', 'constructor', 'mainnet-eth', '1e0', '1.0']
  expect(unknown.map(nameOf)).toEqual(Array(8).fill(null))
})

test('behavior: a mistyped name or alias leads to the chain', () => {
  const texts = ['basee', 'etherum', 'arbitrun', 'polygn', 'solanna', 'Ethereum', 'zzzzzz']
  expect(texts.map((text) => suggestChain(text))).toEqual([
    ...['base', 'eth', 'arbitrum', 'polygon', 'solana', 'eth', null],
  ])
  expect(suggestChain('mychian', { mychain: {} })).toBe('mychain')
})
