// Holdings of traders after a transaction, checked against the balances that nodes returned with
// it.
import { expect, test } from 'vitest'
import {
  type RecordedTransaction,
  recordedTransactions,
} from '../../../../../test/support/solana/recorded.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'
import { wrappedSol } from '../../venues/solana/decoding/tokenMoves.ts'
import { decodeSolanaTransactions } from './decodeSolanaBlock.ts'

type Recorded = RecordedTransaction

function swapsOf(transaction: Recorded): DecodedSwap[] {
  const events = decodeSolanaTransactions([transaction])
  return events.filter((event) => event.type === 'swap')
}

/** Accounts of a wallet for a mint after the transaction. */
function accountsOf({ meta }: Recorded, wallet: string, mint: string) {
  const { postTokenBalances } = meta!
  return (postTokenBalances ?? []).filter((one) => one.owner === wallet && one.mint === mint)
}

/** Null if the node left them out. */
function lamportsOf({ meta, transaction }: Recorded, wallet: string): bigint | null {
  const { writable, readonly } = meta!.loadedAddresses ?? { writable: [], readonly: [] }
  const keys = [...transaction.message.accountKeys, ...writable, ...readonly]
  const lamports = meta!.postBalances?.[keys.indexOf(wallet)]
  return lamports === undefined ? null : BigInt(lamports)
}

test('default: a trader holds what its accounts have, and without an account of wrapped SOL its own SOL', () => {
  const seen = { tokens: 0, wrapped: 0, unwrapped: 0 }
  for (const [signature, recorded] of recordedTransactions())
    for (const { wallet, tokens, traderAfter } of swapsOf(recorded)) {
      const native = lamportsOf(recorded, wallet)
      const expected = tokens!.map((mint) => {
        const accounts = accountsOf(recorded, wallet, mint)
        const isUnwrapped = mint === wrappedSol && accounts.length === 0
        seen[mint !== wrappedSol ? 'tokens' : isUnwrapped ? 'unwrapped' : 'wrapped']++
        if (isUnwrapped) return native
        return accounts.reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n)
      })
      const [holding0, holding1] = expected
      expect(traderAfter, signature).toEqual({ native, holding0, holding1 })
    }
  expect(Math.min(seen.tokens, seen.wrapped, seen.unwrapped)).toBeGreaterThan(5)
})

test('behavior: what a node leaves out is unknown', () => {
  const [recorded] = [...recordedTransactions().values()].filter((one) => swapsOf(one).length > 0)
  const without = (fields: object) => {
    const meta = { ...recorded!.meta!, ...fields }
    return swapsOf({ ...recorded!, meta }).map(({ traderAfter }) => traderAfter)
  }
  for (const after of without({ postBalances: undefined })) expect(after?.native).toBeNull()
  const ownerless = recorded!.meta!.postTokenBalances!.map(({ owner: _, ...one }) => one)
  for (const after of without({ postTokenBalances: ownerless, preTokenBalances: [] }))
    expect(after).toMatchObject({ holding0: null, holding1: null })
})
