import { expect, test } from 'vitest'
import { recordedTransactions } from '../../../../../../test/support/solana/recorded.ts'
import {
  bytesOf,
  hex,
  keyBytesOf,
  keyOf,
} from '../../../../../devnet/src/solana/transactionBuilder.ts'
import { decodeBase58 } from '../../../lib/bytes/base58.ts'
import type { RpcInstruction, RpcTransaction } from '../../../model/solana/rpcTransaction.ts'
import { ammV4Sale } from './ammV4Sale.ts'
import { cpmmSale } from './cpmmSale.ts'
import { pumpSwapSale } from './pumpSwapSale.ts'
import type { Instruction } from './saleTransaction.ts'
import { whirlpoolSale } from './whirlpoolSale.ts'

const pumpSwap = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'
const cpmm = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
const ammV4 = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'
const whirlpool = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
const sellEvent = '3e2f370aa503dc2a'
const selfCall = 'e445a52e51cb9a1d'

type Recorded = { accounts: string[]; data: Buffer }

/**
 * Every instruction of a program in the recorded transactions that begins so, with its accounts.
 */
function recorded(program: string, tag: string): Map<string, Recorded[]> {
  const found = new Map<string, Recorded[]>()
  for (const [signature, entry] of recordedTransactions()) {
    if (entry.meta?.err !== null) continue
    const keys = keysOf(entry)
    const inner = entry.meta.innerInstructions?.flatMap(({ instructions }) => instructions) ?? []
    for (const instruction of [...entry.transaction.message.instructions, ...inner]) {
      const data = decodeBase58(instruction.data as string)!
      if (keys[instruction.programIdIndex] !== program || !data.toString('hex').startsWith(tag))
        continue
      const list = found.get(signature) ?? []
      list.push({ accounts: accountsOf(instruction, keys), data })
      found.set(signature, list)
    }
  }
  return found
}

const accountsOf = ({ accounts }: RpcInstruction, keys: readonly string[]) =>
  accounts.map((account) => keys[account]!)

function keysOf({ transaction, meta }: RpcTransaction): string[] {
  const { accountKeys } = (transaction as { message: { accountKeys: readonly string[] } }).message
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {}
  return [...accountKeys, ...writable, ...readonly]
}

const account = (owner: string, data: Buffer) => ({ owner, lamports: 1, data })
const at = (list: readonly string[], place: number) => keyBytesOf(list[place]!)

test('behavior: a sale in PumpSwap names the accounts that real ones named', () => {
  const events = recorded(pumpSwap, selfCall + sellEvent)
  let checked = 0
  for (const [signature, sales] of recorded(pumpSwap, '33e685a4017f83ad'))
    for (const [nth, { accounts, data }] of sales.entries()) {
      // Older ones had less: the program takes all of them now.
      if (accounts.length < 22) continue
      const creator = events.get(signature)![nth]!.data.subarray(8 + 312, 8 + 344)
      const pool = bytesOf(300, {
        43: at(accounts, 3),
        75: at(accounts, 4),
        139: at(accounts, 7),
        171: at(accounts, 8),
        211: creator,
        // Pools that give fees back to users take two accounts more.
        244: Buffer.of(accounts.length === 24 ? 1 : 0),
      })
      const settings = bytesOf(400, { 57: at(accounts, 9), 385: at(accounts, 9) })
      const route = pumpSwapSale.routeOf({
        pool: accounts[0]!,
        token: { mint: accounts[3]!, tokenProgram: accounts[11]! },
        accounts: [account(pumpSwap, pool), account(pumpSwap, settings)],
        quoteProgram: accounts[12]!,
      })!
      const [seller, source, target] = [accounts[1]!, accounts[5]!, accounts[6]!]
      const amount = data.readBigUInt64LE(8)
      const sale = route.sell({ seller, source, target, amount })
      // Of a coin that nobody made the last one is not looked at.
      const isMade = creator.some((byte) => byte !== 0)
      const named = isMade ? accounts : accounts.slice(0, -1)
      expect(sale.accounts.map(({ key }) => key)).toEqual(named)
      expect(sale.data.subarray(0, 16)).toEqual(data.subarray(0, 16))
      checked += 1
    }
  expect(checked).toBe(3)
})

test('behavior: accounts of PumpSwap’s buyback and cashback come last', () => {
  const [base, quote, buyback] = ['base', 'quote', 'buyback'].map(keyOf) as [string, string, string]
  const settings = bytesOf(949, { 57: keyBytesOf(keyOf('fees')), 643: keyBytesOf(buyback) })
  const routeOf = (isCashback: boolean) =>
    pumpSwapSale.routeOf({
      pool: keyOf('pool'),
      token: { mint: base, tokenProgram: keyOf('program') },
      accounts: [
        account(
          pumpSwap,
          bytesOf(300, {
            43: keyBytesOf(base),
            75: keyBytesOf(quote),
            211: keyBytesOf(keyOf('maker')),
            244: Buffer.of(isCashback ? 1 : 0),
          }),
        ),
        account(pumpSwap, settings),
      ],
      quoteProgram: keyOf('program'),
    })!
  const sale = { seller: keyOf('seller'), source: '', target: '', amount: 1n }
  const behind = (isCashback: boolean) => routeOf(isCashback).sell(sale).accounts.slice(21)
  expect(behind(false).map(({ isWritable }) => isWritable)).toEqual([false, false, true])
  expect(behind(false)[1]!.key).toBe(buyback)
  expect(behind(true)).toHaveLength(5)
  expect(behind(true).slice(2)).toEqual(behind(false))
})

test('behavior: a sale in Raydium CPMM names the accounts that real ones named, whichever side is sold', () => {
  let checked = 0
  for (const swaps of recorded(cpmm, '8fbe5adac41e33de').values())
    for (const { accounts, data } of swaps) {
      const sold = accounts[10]!
      const isFirst = Buffer.compare(keyBytesOf(sold), at(accounts, 11)) < 0
      const [vaults, programs, mints] = [6, 8, 10].map((from) => {
        const pair = [at(accounts, from), at(accounts, from + 1)]
        return Buffer.concat(isFirst ? pair : pair.toReversed())
      }) as [Buffer, Buffer, Buffer]
      const state = bytesOf(637, {
        0: hex('f7ede3f5d7c3de46'),
        8: at(accounts, 2),
        72: vaults,
        168: mints,
        232: programs,
        296: at(accounts, 12),
      })
      const query = {
        pool: accounts[3]!,
        token: { mint: sold, tokenProgram: accounts[8]! },
        accounts: [account(cpmm, state)],
        quoteProgram: '',
      }
      const [seller, source, target] = [accounts[0]!, accounts[4]!, accounts[5]!]
      const amount = data.readBigUInt64LE(8)
      const route = cpmmSale.routeOf(query)!
      const sale = route.sell({ seller, source, target, amount })
      expect(sale.accounts.map(({ key }) => key)).toEqual(accounts)
      expect(sale.data.subarray(0, 16)).toEqual(data.subarray(0, 16))
      expect(route.quote).toEqual({ mint: accounts[11]!, tokenProgram: accounts[9]! })
      expect(cpmmSale.routeOf({ ...query, token: { mint: seller, tokenProgram: '' } })).toBeNull()
      checked += 1
    }
  expect(checked).toBeGreaterThan(2)
})

test('behavior: a sale in Raydium AMM v4 names the accounts that real ones named', () => {
  let checked = 0
  for (const swaps of recorded(ammV4, '10').values())
    for (const { accounts, data } of swaps) {
      const [sold, other] = [keyOf('sold'), keyOf('other')]
      for (const mints of [
        [sold, other],
        [other, sold],
      ]) {
        const state = bytesOf(752, {
          336: at(accounts, 3),
          368: at(accounts, 4),
          400: Buffer.concat(mints.map(keyBytesOf)),
        })
        const route = ammV4Sale.routeOf({
          pool: accounts[1]!,
          token: { mint: sold, tokenProgram: accounts[0]! },
          accounts: [account(ammV4, state)],
          quoteProgram: accounts[0]!,
        })!
        const [source, target, seller] = accounts.slice(5) as [string, string, string]
        const sale = route.sell({ seller, source, target, amount: data.readBigUInt64LE(1) })
        expect(sale.accounts.map(({ key }) => key)).toEqual(accounts)
        expect(sale.data.subarray(0, 9)).toEqual(data.subarray(0, 9))
        expect(sale.data).toHaveLength(data.length)
        expect(route.quote?.mint).toBe(other)
      }
      checked += 1
    }
  expect(checked).toBe(5)
})

/**
 * The tick of a pool before its swap in a transaction, as the event of it says; null: no event
 * does.
 */
function tickBefore(signature: string, pool: string): number | null {
  const logs = recordedTransactions().get(signature)!.meta!.logMessages ?? []
  for (const line of logs) {
    const event = Buffer.from(line.replace('Program data: ', ''), 'base64')
    if (event.toString('hex', 0, 8) !== 'e1ca49af932ba096') continue
    if (!event.subarray(8, 40).equals(keyBytesOf(pool))) continue
    const root = event.readBigUInt64LE(41) + (event.readBigUInt64LE(49) << 64n)
    return Math.floor((2 * Math.log(Number(root) / 2 ** 64)) / Math.log(1.0001))
  }
  return null
}

test('behavior: a sale in Orca’s Whirlpools names the accounts that real ones named, whichever side is sold', () => {
  const sides: number[] = []
  for (const [signature, swaps] of recorded(whirlpool, '2b04ed0b1ac91e62'))
    for (const { accounts, data } of swaps) {
      const tick = tickBefore(signature, accounts[4]!)
      if (tick === null || accounts.length !== 15) continue
      const isFirst = data[41] === 1
      const [sold, bought] = isFirst ? [0, 1] : [1, 0]
      const routeAt = (spacing: number) => {
        const state = bytesOf(653, {
          0: hex('3f95d10ce1806309'),
          41: Buffer.of(spacing & 255, spacing >> 8),
          81: i32(tick),
          101: at(accounts, 5),
          133: at(accounts, 8),
          181: at(accounts, 6),
          213: at(accounts, 10),
        })
        return whirlpoolSale.routeOf({
          pool: accounts[4]!,
          token: { mint: accounts[5 + sold!]!, tokenProgram: accounts[sold!]! },
          accounts: [account(whirlpool, state)],
          quoteProgram: accounts[bought!]!,
        })!
      }
      const sale = {
        seller: accounts[3]!,
        source: accounts[7 + 2 * sold!]!,
        target: accounts[7 + 2 * bought!]!,
        amount: data.readBigUInt64LE(8),
      }
      const real = [...new Set(accounts.slice(11, 14))]
      // How far ticks are apart is in no transaction: of what pools have, one must fit.
      const named = [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896].map((spacing) =>
        routeAt(spacing).sell(sale),
      )
      const [first] = named
      // Who knows that one array is enough names it three times.
      const isNamed = ({ accounts: uses }: Instruction) =>
        uses
          .slice(11, 14)
          .map(({ key }) => key)
          .join()
          .startsWith(real.join())
      const fits = named.filter(isNamed)
      expect(fits.length).toBeGreaterThan(0)
      const others = (keys: readonly string[]) => keys.toSpliced(11, 3)
      for (const { accounts: uses } of fits)
        expect(others(uses.map(({ key }) => key))).toEqual(others(accounts))
      expect(first!.data.subarray(0, 16)).toEqual(data.subarray(0, 16))
      expect(first!.data.subarray(40)).toEqual(data.subarray(40))
      expect(routeAt(64).quote?.mint).toBe(accounts[5 + bought!])
      sides.push(sold!)
    }
  expect(sides.length).toBeGreaterThan(1)
})

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
