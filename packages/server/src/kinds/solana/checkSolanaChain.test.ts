import { expect, test } from 'vitest'
import { checkSolanaChain, type SolanaChainConfig } from './solanaChainSchema.ts'

const chain = {
  rpc: [],
  grpc: [],
  commitment: 'processed',
  native: { wrapped_token: 'So11111111111111111111111111111111111111112' },
  stables: [],
  quotes: [],
  programs: [],
  venues: [],
  launch_platforms: [],
  shared_owners: [],
  burn_addresses: [],
  lockers: [],
  out_of_circulation: [],
} as unknown as SolanaChainConfig

test('error: `processed` commitment requires a gRPC stream', () => {
  const [problem, ...rest] = checkSolanaChain('chains.solana', chain)
  expect(rest).toEqual([])
  expect(problem!.path).toBe('chains.solana.commitment')
  expect(problem!.message).toContain('add grpc, or use confirmed')
  const grpc = [{ url: 'https://stream.example' }]
  expect(checkSolanaChain('chains.solana', { ...chain, grpc })).toEqual([])
  expect(checkSolanaChain('chains.solana', { ...chain, commitment: 'confirmed' })).toEqual([])
})

test('error: a known, repeated or misspelled venue is rejected', () => {
  const [humidiFi, next] = [
    '9H6tua7jkLhdm3w8BvgpTn5LZNU7g4ZynDmCiNN3q6Rp',
    'FLiNTXPwppyoJabCoxc2uiiRygAHpmMXajiDXo2Ub1z',
  ]
  const problemsOf = (...venues: SolanaChainConfig['venues']) => {
    const config = { ...chain, commitment: 'confirmed' as const, venues }
    return checkSolanaChain('chains.solana', config).map(
      ({ path, message }) => `${path} ${message}`,
    )
  }
  const places = { pool: 2, user: 0 }
  expect(problemsOf({ program: next, ...places })).toEqual([])
  expect(problemsOf({ program: humidiFi, ...places })).toEqual([
    `chains.solana.venues[0].program ${humidiFi} is already the venue humidiFi: remove it from venues`,
  ])
  expect(problemsOf({ program: next, ...places, name: 'phoenix' })).toEqual([
    'chains.solana.venues[0].name phoenix is the name of a known venue: choose another name, for example phoenix2',
  ])
  expect(problemsOf({ program: next, ...places }, { program: next, ...places })).toEqual([
    'chains.solana.venues[1].program is the same as chains.solana.venues[0].program',
    'chains.solana.venues[1].name is the same as chains.solana.venues[0].name',
  ])
  expect(problemsOf({ program: '0OIl', ...places })).toEqual([
    'chains.solana.venues[0].program 0OIl is not an address',
  ])
})
