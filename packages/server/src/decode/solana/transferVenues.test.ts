import { expect, test } from 'vitest'
import {
  hex,
  keyOf,
  TransactionBuilder,
  tokenProgram,
  u64,
} from '../../../../devnet/src/solana/transactionBuilder.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'
import { poolsByTransfers } from '../../venues/solana/poolsByTransfers.ts'
import { createSolanaDecodeCounts, decodeSolanaTransactions } from './decodeSolanaBlock.ts'

const [user, pool] = ['user', 'pool'].map(keyOf) as [string, string]
const mints = ['one', 'two', 'three'].map(keyOf)
const accountOf = (owner: string, i: number) => keyOf(`${owner} ${i}`)
/** More than any venue's instruction has. User and pool alternate in all places. */
const placesMax = 32

type Move = { from: string; to: string; by: string }
const paid = (i: number): Move => ({ from: accountOf(user, i), to: accountOf(pool, i), by: user })
const got = (i: number): Move => ({ from: accountOf(pool, i), to: accountOf(user, i), by: pool })

/** Decodes one call that moves tokens between accounts of the user and the pool. */
function decode(program: string, accounts: readonly string[], moves: readonly Move[], minted = -1) {
  const venue = poolsByTransfers.find(({ programs }) => programs.includes(program))!
  const [tag = '01'] = venue.otherwise === undefined ? Object.keys(venue.instructions) : []
  const builder = new TransactionBuilder(user)
  for (const [i, mint] of mints.entries())
    for (const owner of [user, pool]) builder.open(accountOf(owner, i), mint, owner, 10n ** 12n)
  builder.call(program, accounts, Buffer.concat([hex(tag), u64(7n, 0n, 0n)]), () => {
    for (const { from, to, by } of moves) builder.transfer(from, to, by, 1_000n)
    if (minted >= 0) builder.mint(mints[minted]!, accountOf(user, minted), pool, 9n, tokenProgram)
  })
  const counts = createSolanaDecodeCounts()
  const events = decodeSolanaTransactions([builder.build()], { counts })
  const swaps = events.filter((event): event is DecodedSwap => event.type === 'swap')
  return { swaps, malformed: counts.malformed }
}

const programs = poolsByTransfers.flatMap(({ name, programs: ids }) =>
  ids.map((program) => ({ name, program })),
)

test.each(programs)('behavior: $name: only one token against another one is a swap', (venue) => {
  const accounts = Array.from({ length: placesMax }, (_, i) => (i % 2 === 0 ? user : pool))
  const swapsOf = (...args: [moves: readonly Move[], minted?: number]) =>
    decode(venue.program, accounts, ...args).swaps
  expect(swapsOf([paid(0), got(1)])).toHaveLength(1)
  // Deposits of one and of two tokens for shares.
  expect(swapsOf([paid(0)], 2)).toEqual([])
  expect(swapsOf([paid(0), paid(1)], 2)).toEqual([])
  // Withdrawals, and collected fees.
  expect(swapsOf([got(0)])).toEqual([])
  expect(swapsOf([got(0), got(1)])).toEqual([])
  // Two tokens on one side, and the same token back.
  expect(swapsOf([paid(0), paid(1), got(2)])).toEqual([])
  expect(swapsOf([paid(0), got(1), got(2)])).toEqual([])
  expect(swapsOf([paid(0), got(0)])).toEqual([])
  // Transfers between accounts of the pool, and quotes.
  expect(swapsOf([{ ...got(0), to: accountOf(pool, 1) }])).toEqual([])
  expect(swapsOf([])).toEqual([])
})

test.each(programs)('behavior: $name: a trade that names no pool is malformed', (venue) => {
  const { swaps, malformed } = decode(venue.program, [], [paid(0), got(1)])
  expect({ swaps, malformed }).toEqual({ swaps: [], malformed: 1 })
})

test('behavior: a pool of two tokens is one pair, one of more is a pair for each two', () => {
  const coupleOf = (name: string, accountCount: number) => {
    const [program = ''] = poolsByTransfers.find((venue) => venue.name === name)!.programs
    const accounts = Array.from({ length: accountCount }, () => pool)
    const [swap] = decode(program, accounts, [paid(0), got(1)]).swaps
    return swap?.couple
  }
  const couple = mints.slice(0, 2)
  expect(coupleOf('mercurial', 8)).toBeUndefined()
  expect(coupleOf('mercurial', 9)).toEqual(expect.arrayContaining(couple))
  expect(coupleOf('aquifer', 16)).toEqual(expect.arrayContaining(couple))
  expect(coupleOf('saros', 10)).toBeUndefined()
})

test('behavior: places follow the instruction where they differ', () => {
  const poolOf = (name: string, data: Buffer) => {
    const { programs } = poolsByTransfers.find((venue) => venue.name === name)!
    const accounts = Array.from({ length: 20 }, (_, i) => keyOf(`place ${i}`))
    const builder = new TransactionBuilder(user)
    for (const [i, mint] of mints.entries())
      for (const owner of [user, pool]) builder.open(accountOf(owner, i), mint, owner, 10n ** 12n)
    builder.call(programs[0]!, accounts, data, () => {
      for (const { from, to, by } of [paid(0), got(1)]) builder.transfer(from, to, by, 1_000n)
    })
    const [swap] = decodeSolanaTransactions([builder.build()]) as DecodedSwap[]
    return accounts.indexOf(swap?.pool ?? '')
  }
  const swap = hex('f8c69e91e17587c8')
  const swapV2 = hex('2b04ed0b1ac91e62')
  expect(poolOf('stabble', swap)).toBe(6)
  expect(poolOf('stabble', swapV2)).toBe(8)
  expect(poolOf('fusion', swap)).toBe(4)
  // two_hop_swap names two pools.
  expect(poolOf('fusion', hex('c360ed6c44a2dbe6'))).toBe(-1)
})
