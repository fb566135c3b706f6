import { expect, test } from 'vitest'
import { checkSolanaChain } from './checkSolanaChain.ts'
import type { SolanaChainConfig } from './solanaChainSchema.ts'

const chain = {
  rpc: [],
  grpc: [],
  commitment: 'processed',
  native: { wrapped_token: 'So11111111111111111111111111111111111111112' },
  stables: [],
  quotes: [],
  programs: [],
  launch_platforms: [],
  shared_owners: [],
  burn_addresses: [],
  lockers: [],
  out_of_circulation: [],
} as unknown as SolanaChainConfig

test('error: processed blocks need a stream', () => {
  const [problem, ...rest] = checkSolanaChain('chains.solana', chain)
  expect(rest).toEqual([])
  expect(problem!.path).toBe('chains.solana.commitment')
  expect(problem!.message).toContain('add grpc, or use confirmed')
  const grpc = [{ url: 'https://stream.example' }]
  expect(checkSolanaChain('chains.solana', { ...chain, grpc })).toEqual([])
  expect(checkSolanaChain('chains.solana', { ...chain, commitment: 'confirmed' })).toEqual([])
})
