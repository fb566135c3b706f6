import { expect, test } from 'vitest'
import {
  type RecordedTransaction,
  recordedAccount,
  recordedCalls,
  recordedTransactions,
} from '../../../../../../test/support/solana/recorded.ts'
import {
  bytesOf,
  hex,
  keyBytesOf,
  keyOf,
} from '../../../../../devnet/src/solana/transactionBuilder.ts'
import { decodeBase58, encodeBase58 } from '../../../lib/bytes/base58.ts'
import { programAddressOf } from '../../../lib/programAddress.ts'
import { pumpFunSale } from './pumpFunSale.ts'
import type { Instruction } from './saleTransaction.ts'
import { associatedAccountOf } from './saleTransaction.ts'

const program = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
const wrappedSol = 'So11111111111111111111111111111111111111112'
const [settingsAddress] = pumpFunSale.shared as [string]
const settings = recordedAccount(settingsAddress)
const tagsOf = { curve: hex('17b7f83760d8ac60'), event: 'e445a52e51cb9a1dbddb7fd34ee661ee' }

/** Keys that stand one after another in the settings. */
const keysAt = (at: number, count: number) =>
  Array.from({ length: count }, (_, nth) =>
    encodeBase58(settings.data.subarray(at + nth * 32, at + nth * 32 + 32)),
  )
const feeRecipients = [...keysAt(41, 1), ...keysAt(162, 7)]
const reservedRecipients = [...keysAt(483, 1), ...keysAt(516, 7)]
const buybackRecipients = keysAt(741, 8)

type Given = {
  mint: string
  tokenProgram: string
  quoteProgram?: string
  curve: string
  state: Buffer
  /** Which of several recipients a real trade named: ours are always the first. */
  named?: { reserved?: string; fee?: string; buyback: string }
}

function routeOf({ mint, tokenProgram, quoteProgram = '', curve, state, named }: Given) {
  const data = Buffer.from(settings.data)
  if (named?.fee !== undefined) keyBytesOf(named.fee).copy(data, 41)
  if (named?.reserved !== undefined) keyBytesOf(named.reserved).copy(data, 483)
  if (named !== undefined) keyBytesOf(named.buyback).copy(data, 741)
  return pumpFunSale.routeOf({
    pool: curve,
    token: { mint, tokenProgram },
    accounts: [
      { owner: program, lamports: 1, data: state },
      { ...settings, data },
    ],
    quoteProgram,
  })
}

/** Accounts of the curve's instructions with a tag in a transaction. */
function recordedNames({ transaction, meta }: RecordedTransaction, tag: string): string[][] {
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {}
  const keys = [...transaction.message.accountKeys, ...writable, ...readonly]
  const inner = meta?.innerInstructions?.flatMap(({ instructions }) => instructions) ?? []
  return [...transaction.message.instructions, ...inner]
    .filter(({ programIdIndex }) => keys[programIdIndex] === program)
    .filter(({ data }) =>
      decodeBase58(data as string)!
        .toString('hex')
        .startsWith(tag),
    )
    .map(({ accounts }) => accounts.map((account) => keys[account]!))
}

const keysOf = ({ accounts }: Instruction) => accounts.map(({ key }) => key)

test('default: a sale for SOL equals a real one of 2026, of a Token-2022 coin in mayhem mode', () => {
  const [sold, event] = recordedCalls(
    '3tVQzGUFNsAHoTcfiCbuX87y7Ta9rdY2BdTvgeSGwbEu7Nok8bfAGSCDwZMkuVMjjRniXyx6VKfYnPQXUCSC7yHG',
  )
  const { accounts, data } = sold!
  expect(event!.data.startsWith(tagsOf.event)).toBe(true)
  const creator = hex(event!.data).subarray(8 + 177, 8 + 209)
  expect(programAddressOf(program, [Buffer.from('bonding-curve'), keyBytesOf(accounts[2]!)])).toBe(
    accounts[3],
  )
  // Any of eight may be named.
  expect(reservedRecipients).toContain(accounts[1])
  expect(buybackRecipients).toContain(accounts[15])
  const route = routeOf({
    mint: accounts[2]!,
    tokenProgram: accounts[9]!,
    curve: accounts[3]!,
    state: bytesOf(151, { 0: tagsOf.curve, 49: creator, 81: Buffer.of(1) }),
    named: { reserved: accounts[1]!, buyback: accounts[15]! },
  })!
  const [source, seller] = [accounts[5]!, accounts[6]!]
  const amount = hex(data).readBigUInt64LE(8)
  const sale = route.sell({ seller, source, target: seller, amount })
  // The caller derived this account from its own program, which nobody looked at then: it must be
  // the curve's own.
  const curveV2Of = (owner: string) =>
    programAddressOf(owner, [Buffer.from('bonding-curve-v2'), keyBytesOf(accounts[2]!)])
  expect(accounts[14]).toBe(curveV2Of('MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e'))
  expect(keysOf(sale)).toEqual(accounts.with(14, curveV2Of(program)))
  // It takes any price, where the real one did not.
  const anyPrice = Buffer.concat([hex(data).subarray(0, 16), Buffer.alloc(8)])
  expect([sale.program, sale.data]).toEqual([program, anyPrice])
  expect(route.quote).toBeNull()
  const written = sale.accounts.flatMap(({ isWritable }, at) => (isWritable ? [at] : []))
  expect(written).toEqual([1, 3, 4, 5, 6, 8, 15])
  expect(sale.accounts.flatMap(({ isSigner }, at) => (isSigner ? [at] : []))).toEqual([6])
})

test('behavior: coins with cashback name the seller’s volume account before the optional ones', () => {
  const signature =
    '2RoRJxatbF9Qkv87jei19u7ei2ckyjjnrCHZBRRAXi4GFJi68kra2iPSk7aoQ9Ugnf5FK5Mdp274hMaVSzn6SN5M'
  const recorded = recordedTransactions().get(signature)!
  const bought = recordedNames(recorded, '38fc74089edfcd5f')[0]!
  const seller = bought[6]!
  // Who bought had made the coin in the same transaction.
  const route = routeOf({
    mint: bought[2]!,
    tokenProgram: bought[8]!,
    curve: bought[3]!,
    state: bytesOf(151, { 0: tagsOf.curve, 49: keyBytesOf(seller), 82: Buffer.of(1) }),
    named: { buyback: bought[17]! },
  })!
  const sale = route.sell({ seller, source: bought[5]!, target: seller, amount: 1n })
  const places = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8, 10, 11, 14, 15, 13, 16, 17]
  expect(keysOf(sale)).toEqual(places.map((place) => bought[place]))
  expect(sale.accounts.slice(14).map(({ isWritable }) => isWritable)).toEqual([true, false, true])
  expect(feeRecipients[0]).toBe(bought[1])
  expect(buybackRecipients).toContain(bought[17])
})

test('behavior: sales from before 2025 named the same first accounts', () => {
  let checked = 0
  for (const recorded of recordedTransactions().values())
    for (const named of recordedNames(recorded, '33e685a4017f83ad')) {
      const [mint, curve, source, seller] = [named[2]!, named[3]!, named[5]!, named[6]!]
      const route = routeOf({
        mint,
        tokenProgram: named[9]!,
        curve,
        // As long as accounts of then are.
        state: bytesOf(49, { 0: tagsOf.curve }),
        named: { fee: named[1]!, buyback: buybackRecipients[0]! },
      })!
      const sale = route.sell({ seller, source, target: seller, amount: 1n })
      // At the ninth place was a program that nobody called.
      expect(keysOf(sale).slice(0, 12).toSpliced(8, 1)).toEqual(named.toSpliced(8, 1))
      expect(feeRecipients).toContain(named[1])
      checked += 1
    }
  expect(checked).toBe(2)
})

test.each([
  '57qfbsAcVGdenmgVq2sySpVcgyNDCx1aXLQvwz2kuX4fr8V5twxzdCdvWK2RjsZUuArCdneB4WzcSotaWVE8Forw',
  '5e5t9JwautKTqCNKqHmDiZhJx9K2x85kd7RbFfbtGZ4DtcLwPW4U18ZWoinYcCuUQzZ3WRmEiMe3BDsSewVwto8h',
])(
  'behavior: a sale for a token names what real purchases with one named, in their order: %s',
  (signature) => {
    const calls = recordedCalls(signature)
    const { accounts: bought } = calls.find(({ accounts }) => accounts.length === 27)!
    const event = calls.find(({ data }) => data.startsWith(tagsOf.event))!
    const creator = hex(event.data).subarray(8 + 177, 8 + 209)
    const isMayhem = reservedRecipients.includes(bought[6]!)
    expect(isMayhem ? reservedRecipients : feeRecipients).toContain(bought[6])
    expect(buybackRecipients).toContain(bought[8])
    const route = routeOf({
      mint: bought[1]!,
      tokenProgram: bought[3]!,
      quoteProgram: bought[4]!,
      curve: bought[10]!,
      state: bytesOf(151, {
        0: tagsOf.curve,
        49: creator,
        81: Buffer.of(isMayhem ? 1 : 0),
        83: keyBytesOf(bought[2]!),
      }),
      named: { [isMayhem ? 'reserved' : 'fee']: bought[6]!, buyback: bought[8]! },
    })!
    expect(route.quote).toEqual({ mint: wrappedSol, tokenProgram: bought[4] })
    const seller = bought[13]!
    const target = associatedAccountOf({ owner: seller, ...route.quote! })
    const sale = route.sell({ seller, source: bought[14]!, target, amount: 7n })
    // What all have bought is counted of purchases alone.
    expect(keysOf(sale)).toEqual(bought.toSpliced(19, 1))
    expect(sale.data.toString('hex')).toBe(`5df6823ce7e940b2${'0700000000000000'}${'00'.repeat(8)}`)
    const read = sale.accounts.flatMap(({ isWritable }, at) => (isWritable ? [] : [at]))
    expect(read).toEqual([0, 1, 2, 3, 4, 5, 18, 21, 22, 23, 24, 25])
  },
)

test('edge: a full curve, another account and settings that are not there are no way to sell', () => {
  const given = { mint: keyOf('mint'), tokenProgram: keyOf('program'), curve: keyOf('curve') }
  const state = bytesOf(151, { 0: tagsOf.curve })
  expect(routeOf({ ...given, state })).not.toBeNull()
  expect(
    routeOf({ ...given, state: bytesOf(151, { 0: tagsOf.curve, 48: Buffer.of(1) }) }),
  ).toBeNull()
  expect(routeOf({ ...given, state: bytesOf(151, {}) })).toBeNull()
  expect(routeOf({ ...given, state: Buffer.alloc(0) })).toBeNull()
  const query = {
    pool: given.curve,
    token: { mint: given.mint, tokenProgram: given.tokenProgram },
    quoteProgram: '',
  }
  const account = { owner: program, lamports: 1, data: state }
  expect(pumpFunSale.routeOf({ ...query, accounts: [account, null] })).toBeNull()
  expect(pumpFunSale.routeOf({ ...query, accounts: [null, settings] })).toBeNull()
  const cut = { ...settings, data: settings.data.subarray(0, 700) }
  expect(pumpFunSale.routeOf({ ...query, accounts: [account, cut] })).toBeNull()
})
