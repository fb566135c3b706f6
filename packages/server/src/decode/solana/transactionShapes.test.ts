// Unusual transactions: fields that nodes leave out, and calls that programs make in between.
import { expect, test } from 'vitest'
import { recordedTransactions } from '../../../../../test/support/solana/recorded.ts'
import {
  bytesOf,
  hex,
  keyOf,
  TransactionBuilder,
  tokenProgram,
  u64,
} from '../../../../devnet/src/solana/transactionBuilder.ts'
import type { DecodedEvent, DecodedSwap } from '../../model/decodedBlock.ts'
import type { RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import { decodeSolanaTransactions } from './decodeSolanaBlock.ts'

const raydium = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'
const user = keyOf('user')
const transfer = (amount: bigint) => Buffer.concat([hex('03'), u64(amount)])

function swapsOf(events: readonly DecodedEvent[]): DecodedSwap[] {
  return events.filter((event) => event.type === 'swap')
}

/** A swap of Raydium's first AMM, with an order book behind the pool; `body` moves the tokens. */
function swapWithOrders(body: (builder: TransactionBuilder) => void): RpcTransaction {
  const builder = new TransactionBuilder(user)
  for (const side of ['0', '1']) {
    builder.open(keyOf(`user${side}`), keyOf(`mint${side}`), user, 10n ** 12n)
    builder.open(keyOf(`vault${side}`), keyOf(`mint${side}`), keyOf('authority'), 10n ** 12n)
    builder.open(keyOf(`book${side}`), keyOf(`mint${side}`), keyOf('market'), 10n ** 12n)
  }
  const accounts =
    'token pool authority orders targets vault0 vault1 dex market bids asks queue base quote signer user0 user1'
  const keys = [...accounts.split(' ').map(keyOf), user]
  const data = Buffer.concat([hex('09'), u64(500n, 0n)])
  builder.call(raydium, keys, data, () => body(builder))
  return builder.build()
}

test('default: movements in a batch of the token program count as if each were alone', () => {
  const part = (amount: bigint) => Buffer.concat([hex('0309'), transfer(amount)])
  const batch = Buffer.concat([hex('ff'), part(500n), part(700n)])
  const keys = ['user0', 'vault0', 'user', 'vault1', 'user1', 'authority'].map(keyOf)
  const written = swapWithOrders((builder) => builder.call(tokenProgram, keys, batch))
  expect(swapsOf(decodeSolanaTransactions([written]))).toMatchObject([
    { pool: keyOf('pool'), amount0: 500n, amount1: -700n, wallet: user },
  ])
  // A truncated event is read up to its last complete part.
  const cut = swapWithOrders((builder) =>
    builder.call(tokenProgram, keys, batch.subarray(0, batch.length - 3)),
  )
  expect(swapsOf(decodeSolanaTransactions([cut]))).toEqual([])
})

test('behavior: payments of an order book into the vaults are not part of a swap', () => {
  const written = swapWithOrders((builder) => {
    builder.call(keyOf('dex'), [keyOf('market')], hex('0005000000'), () => {
      builder.transfer(keyOf('book0'), keyOf('vault0'), keyOf('market'), 90_000n)
      builder.transfer(keyOf('book1'), keyOf('vault1'), keyOf('market'), 80_000n)
    })
    builder.transfer(keyOf('user0'), keyOf('vault0'), user, 500n)
    builder.transfer(keyOf('vault1'), keyOf('user1'), keyOf('authority'), 700n)
  })
  expect(swapsOf(decodeSolanaTransactions([written]))).toMatchObject([
    { amount0: 500n, amount1: -700n },
  ])
})

test('behavior: without stack heights and logs, calls are nested by their programs', () => {
  let compared = 0
  for (const [signature, transaction] of recordedTransactions()) {
    const innerInstructions = (transaction.meta!.innerInstructions ?? []).map((group) => ({
      index: group.index,
      instructions: group.instructions.map(({ stackHeight: _, ...rest }) => rest),
    }))
    const meta = { ...transaction.meta!, logMessages: null, innerInstructions }
    const [flat, nested] = [{ ...transaction, meta }, transaction].map((one) =>
      swapsOf(decodeSolanaTransactions([one as RpcTransaction])).map(
        ({ pool, amount0, amount1, venues }) => ({ pool, amount0, amount1, venues }),
      ),
    )
    expect(flat, signature).toEqual(nested)
    compared += flat!.length
  }
  expect(compared).toBeGreaterThan(50)
})

test('behavior: without a known trader account the first payer is the trader', () => {
  const humidiFi = '9H6tua7jkLhdm3w8BvgpTn5LZNU7g4ZynDmCiNN3q6Rp'
  const builder = new TransactionBuilder(user)
  const router = keyOf('router authority')
  for (const side of ['0', '1']) {
    builder.open(keyOf(`router${side}`), keyOf(`mint${side}`), router, 10n ** 9n)
    builder.open(keyOf(`vault${side}`), keyOf(`mint${side}`), keyOf('pool'), 10n ** 9n)
  }
  // The accounts are in an unknown order.
  const keys = ['clock', 'pool', 'vault0', 'vault1', 'router0', 'router1'].map(keyOf)
  builder.call(keyOf('router'), [user], hex('e517cb977ae3ad2a'), () =>
    builder.call(humidiFi, [...keys, router], hex('01'), () => {
      builder.transfer(keyOf('router0'), keyOf('vault0'), router, 300n)
      builder.transfer(keyOf('vault1'), keyOf('router1'), keyOf('pool'), 400n)
    }),
  )
  const swaps = swapsOf(decodeSolanaTransactions([builder.build()]))
  expect(swaps).toHaveLength(1)
  const { amount0, amount1 } = swaps[0]!
  expect([amount0, amount1].map(Number).toSorted((a, b) => a - b)).toEqual([-400, 300])
})

/**
 * A trade on an order book whose user first pays a fee to another account in the token it sells.
 */
function tradeWithFee(tag: string, accounts: string): RpcTransaction {
  const manifest = 'MNFSTqtC93rEfYHB6hF82sKdZpUDFWkViLByLd1k1Ms'
  const builder = new TransactionBuilder(keyOf('payer'))
  for (const side of ['0', '1']) {
    builder.open(keyOf(`user${side}`), keyOf(`mint${side}`), user, 10n ** 9n)
    builder.open(keyOf(`vault${side}`), keyOf(`mint${side}`), keyOf(`vault${side}`), 10n ** 9n)
  }
  builder.open(keyOf('fees'), keyOf('mint0'), keyOf('collector'), 0n)
  builder.call(manifest, accounts.split(' ').map(keyOf), hex(tag), () => {
    builder.transfer(keyOf('user0'), keyOf('fees'), user, 3n)
    builder.transfer(keyOf('user0'), keyOf('vault0'), user, 300n)
    builder.transfer(keyOf('vault1'), keyOf('user1'), keyOf('vault1'), 400n)
  })
  return builder.build()
}

test.each([
  ['04', 'user pool system user0 user1 vault0 vault1 token'],
  ['0d', 'payer user pool system user0 user1 vault0 vault1 token'],
])(
  'behavior: pools by transfers: fees before what is traded are no part of it, tag %s',
  (tag, accounts) => {
    const swaps = swapsOf(decodeSolanaTransactions([tradeWithFee(tag, accounts)]))
    expect(swaps).toMatchObject([{ pool: keyOf('pool'), venues: ['manifest'], sender: user }])
    const { amount0, amount1 } = swaps[0]!
    expect([amount0, amount1].map(Number).toSorted((a, b) => a - b)).toEqual([-400, 300])
  },
)

test('behavior: a transaction without resolved lookup tables is skipped, as the pool may be missing', () => {
  let left = 0
  for (const [signature, transaction] of recordedTransactions()) {
    const loaded = transaction.meta!.loadedAddresses
    if (!loaded || loaded.writable.length + loaded.readonly.length === 0) continue
    left++
    const meta = { ...transaction.meta!, loadedAddresses: null }
    expect(decodeSolanaTransactions([{ ...transaction, meta }]), signature).toEqual([])
  }
  expect(left).toBeGreaterThan(10)
})

test('behavior: the first events of pump.fun say nothing of what is really in the curve', () => {
  const pump = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
  const [mint, curve, vault] = ['mint', 'curve', 'vault'].map(keyOf) as [string, string, string]
  const builder = new TransactionBuilder(user)
  builder.open(vault, mint, curve, 10n ** 12n)
  builder.open(keyOf('user tokens'), mint, user, 0n)
  const event = bytesOf(113, {
    0: hex('bddb7fd34ee661ee'),
    40: u64(1_000_000_000n, 34_000_000n),
    56: hex('01'),
    97: u64(31_000_000_000n, 1_000_000_000_000n),
  })
  const keys = [keyOf('global'), keyOf('fee'), mint, curve, vault, keyOf('user tokens'), user]
  builder.call(pump, keys, hex('66063d1201daebea'), () => {
    builder.transfer(vault, keyOf('user tokens'), curve, 34_000_000n)
    builder.log(event)
  })
  const trade = { amount0: -34_000_000n, amount1: 1_000_000_000n, priceRaw: 0.031 }
  expect(decodeSolanaTransactions([builder.build()])).toMatchObject([
    { type: 'swap', pool: curve, reserve0: null, reserve1: null, ...trade },
  ])
})
