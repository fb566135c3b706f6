// Collection of fees that trades left in pools and curves.
import { expect, test } from 'vitest'
import {
  beginTransaction,
  buyback,
  curveB,
  emit,
  mintA,
  poolA,
  pump,
  sol,
  swapProgram,
  user,
  userAccountFor,
} from '../../../../../test/support/solana/pumpInstructions.ts'
import { hex, keyBytesOf, keyOf, u64 } from '../../../../devnet/src/solana/transactionBuilder.ts'
import { pumpSwap } from '../../venues/solana/pumpSwap.ts'
import { createSolanaDecodeCounts, decodeSolanaTransactions } from './decodeSolanaBlock.ts'

test('default: a sweep of PumpSwap lowers what the pool has of the quote and leaves its price', () => {
  const builder = beginTransaction()
  const names = ['config', 'quote program', 'recipient', 'system', 'ata', 'events'].map(keyOf)
  const [config, quoteProgram, recipient, ...rest] = names as [string, string, string]
  const head = [user, config, poolA.pool, sol, quoteProgram, poolA.vaults[1]]
  const accounts = [...head, recipient, buyback, ...rest, swapProgram]
  const kept = 30_000n
  builder.call(swapProgram, accounts, hex('0830be07b644b7e5'), () => {
    builder.transfer(poolA.vaults[1], buyback, poolA.pool, kept)
    const keys = [poolA.pool, mintA, sol, recipient, user].map(keyBytesOf)
    const event = [hex('82a42461e48287a5'), u64(1n), ...keys, u64(kept), hex('00')]
    emit(builder, swapProgram, Buffer.concat(event))
  })
  const [sync, ...others] = decodeSolanaTransactions([builder.build()])
  expect(others).toEqual([])
  const reserve1 = 10n ** 15n - kept
  expect(sync).toMatchObject({ type: 'sync', pool: poolA.pool, reserve0: null, reserve1 })
  expect(sync).toMatchObject({ tokens: [mintA, sol], wallet: user, venues: ['pumpSwap'] })
  const { told } = sync as unknown as { told: bigint[] }
  const before = { reserve0: 10n ** 12n, reserve1: 10n ** 15n, told: [5_000n - kept] }
  const after = { ...before, reserve1, told: pumpSwap.toldAfter!(told, before.told) }
  const moment = { others: [], params: [], timeS: 0 }
  expect(pumpSwap.priceAfter!({ ...moment, ...after })).toBe(
    pumpSwap.priceAfter!({ ...moment, ...before }),
  )
  // Without a known virtual reserve before, it is unknown after.
  expect(pumpSwap.toldAfter!(told, [])).toEqual([])
})

test('behavior: a sweep that pays nothing, and sweeps of curves, change nothing', () => {
  const builder = beginTransaction()
  const accounts = Array.from({ length: 13 }, (_, at) => keyOf(`sweep ${at}`))
  builder.call(swapProgram, accounts.slice(1), hex('20f6bf3408c949ba'))
  for (const tag of ['0830be07b644b7e5', '20f6bf3408c949ba'])
    builder.call(pump, accounts, hex(tag), () => {
      builder.transfer(curveB.vaults[1], userAccountFor(mintA), curveB.pool, 5n)
    })
  const counts = createSolanaDecodeCounts()
  expect(decodeSolanaTransactions([builder.build()], { counts })).toEqual([])
  expect(counts.malformed).toBe(0)
})
