// Trades of underlying coins, in logs of the Optimism transaction 0x83ac5abc... and in handwritten
// ones.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../test/support/decodeLogs.ts'
import {
  native,
  pool,
  receiptOf,
  router,
  tokenA,
  tokenB,
  tokenC,
  tokensIn,
  trader,
  transfer,
  type Written,
} from '../../../../../test/support/tradeReceipts.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'

const ref = { number: 1, hash: '0x1', parentNumber: 0, parentHash: '0x0', timeS: 0 }
const swapsIn = (logs: EvmLog[]) =>
  decodeLogs({ ref, logs, senders: new Map() }).events.filter(({ type }) => type === 'swap')

/** From the third underlying coin to the pool's own first one. */
const sale = (sold: bigint, bought: bigint): Written => [
  venueAbi.exchangeUnderlyingCurve,
  { buyer: router, sold_id: 3n, tokens_sold: sold, bought_id: 0n, tokens_bought: bought },
  pool,
]
const [shares, paid] = [tokenC, transfer(tokenA, router, pool, 1600n)]
const made = (amount: bigint) => transfer(shares, native, pool, amount)
const got = transfer(tokenB, pool, router, 990n)

test('default: a metapool that reports shares of its base pool trades its own coins', () => {
  const hash = '0x83ac5abc6819fca458f614e4fdbca6fe324bbea8b7ce5fb072bf99407cd8c031'
  const fixture = `../../../../../test/fixtures/evmReceipts/optimism-${hash}.json`
  const { logs } = JSON.parse(readFileSync(new URL(fixture, import.meta.url), 'utf8')) as {
    logs: (Omit<EvmLog, 'logIndex'> & { logIndex: string })[]
  }
  const read = logs.map((log) => ({
    ...log,
    address: log.address.toLowerCase(),
    logIndex: Number(log.logIndex),
    transactionHash: hash,
  }))
  // A deposit of 16,000 USDT became 15,563 shares. The pool has sUSD as coin 0 and the shares as
  // coin 1.
  expect(swapsIn(read)).toMatchObject([
    {
      index: 18,
      venues: ['curve'],
      couple: ['0x0', '0x1'],
      amount0: -16_026_407_272_974_863_067_802n,
      amount1: 15_563_815_436_950_695_799_828n,
    },
  ])
})

test('behavior: a pool that reports the coin itself trades underlying coins', () => {
  const ofCoins = [{ venues: ['curveUnderlying'], couple: ['0x0', '0x3'], amount1: 1600n }]
  expect(swapsIn(receiptOf([paid, made(1500n), got, sale(1600n, 990n)]).logs)).toMatchObject(
    ofCoins,
  )
  // A share is worth one coin here: the named coin was paid.
  expect(swapsIn(receiptOf([paid, made(1600n), got, sale(1600n, 990n)]).logs)).toMatchObject(
    ofCoins,
  )
})

test('behavior: offline decoding gives no amount to a token that did not move', () => {
  expect(tokensIn([paid, made(1500n), got, sale(1500n, 990n)])).toEqual([[shares, tokenB]])
  expect(tokensIn([paid, got, sale(1500n, 990n)])).toEqual([[null, tokenB]])
  // Another transaction shows the coin of this number, but not that these amounts are in it.
  const clear = [paid, made(1500n), got, sale(1600n, 990n)]
  const unseen = [transfer(tokenA, trader, router, 1600n), sale(1500n, 990n)]
  expect(tokensIn(clear, unseen)).toEqual([
    [tokenA, tokenB],
    [null, null],
  ])
})
