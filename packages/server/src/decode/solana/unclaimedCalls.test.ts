import { expect, test } from 'vitest'
import { recordedSwaps, recordedTransactions } from '../../../../../test/support/solana/recorded.ts'
import { hex, keyOf, TransactionBuilder } from '../../../../devnet/src/solana/transactionBuilder.ts'
import { decodeSolanaTransactions } from './decodeSolanaBlock.ts'
import { UnclaimedCalls } from './unclaimedCalls.ts'

const [user, pool] = ['user', 'pool'].map(keyOf) as [string, string]
const mints = ['one', 'two'].map(keyOf) as [string, string]
const accountOf = (owner: string, i: number) => keyOf(`${owner} ${i}`)

/** A router's call of a pool's program. `isTrade` false makes it a deposit of both tokens. */
function transactionOf(program: string, tag: string, isTrade = true) {
  const builder = new TransactionBuilder(user)
  for (const [i, mint] of mints.entries())
    for (const owner of [user, pool]) builder.open(accountOf(owner, i), mint, owner, 1_000n)
  builder.call(keyOf('router'), [user], hex('0102'), () =>
    builder.call(program, [user, pool], hex(tag), () => {
      builder.transfer(accountOf(user, 0), accountOf(pool, 0), user, 7n)
      if (isTrade) builder.transfer(accountOf(pool, 1), accountOf(user, 1), pool, 5n)
      else builder.transfer(accountOf(user, 1), accountOf(pool, 1), user, 5n)
    }),
  )
  return builder.build()
}

const humidiFi = '9H6tua7jkLhdm3w8BvgpTn5LZNU7g4ZynDmCiNN3q6Rp'
const fusion = 'fUSioN9YKKSa3CUC2YUc4tPkHJ5Y6XW1yz8y6F7qWz9'

test('default: unknown programs and unknown instructions of known ones, not their routers', () => {
  const unclaimed = new UnclaimedCalls()
  const next = keyOf('next program')
  const transactions = [
    transactionOf(next, '09'),
    transactionOf(next, '09'),
    transactionOf(next, '0a', false),
    transactionOf(fusion, 'c360ed6c44a2dbe6'),
    transactionOf(humidiFi, '01'),
  ]
  const counted = decodeSolanaTransactions(transactions, { unclaimed })
  expect(unclaimed.programs()).toEqual([
    { program: next, calls: 2, share: 0.5 },
    { program: fusion, calls: 1, share: 0.25 },
  ])
  expect(unclaimed.total()).toEqual({ calls: 3, share: 0.75 })
  expect(counted).toEqual(decodeSolanaTransactions(transactions))
})

test('default: nothing without trades', () => {
  const unclaimed = new UnclaimedCalls()
  decodeSolanaTransactions([transactionOf(keyOf('next program'), '0a', false)], { unclaimed })
  expect(unclaimed.total()).toEqual({ calls: 0, share: 0 })
  expect(unclaimed.programs()).toEqual([])
})

test('behavior: real transactions are decoded the same, and no router counts', () => {
  const unclaimed = new UnclaimedCalls()
  const transactions = [...recordedTransactions().values()]
  const events = decodeSolanaTransactions(transactions, { unclaimed })
  expect(events).toEqual(decodeSolanaTransactions(transactions))
  const swaps = Object.values(recordedSwaps()).flat().length
  expect(events.filter(({ type }) => type === 'swap')).toHaveLength(swaps)
  // Routers of all kinds are among these transactions.
  expect(unclaimed.programs()).toEqual([])
})

test('limit: of many programs those beyond the limit count in the total', () => {
  const unclaimed = new UnclaimedCalls()
  const transactions = Array.from({ length: 1_100 }, (_, i) => transactionOf(keyOf(`p ${i}`), '01'))
  decodeSolanaTransactions(transactions, { unclaimed })
  expect(unclaimed.programs()).toHaveLength(20)
  expect(unclaimed.total()).toEqual({ calls: 1_100, share: 1 })
})
