// Chains whose transactions list balances, and whose pools are created with liquidity.
import { expect, test } from 'vitest'
import {
  blockOf,
  createTestLedger,
  firstBlock,
  pair,
  swapOf,
  transferOf,
} from '../../../../test/support/ledgerFixture.ts'
import type { ResolvedLiquidity, ResolvedSwap } from '../model/resolvedBlock.ts'

test('behavior: if holders are not counted, a swap has the holdings that its transaction lists', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const traderAfter = { native: 3n, holding0: 70n, holding1: null }
  const swap = { ...swapOf(1, 't', '0xa'), traderAfter } as ResolvedSwap
  const overdraw = transferOf(0, 0, '0xa', '0xc', 60n)
  const { block } = await ledger.apply(blockOf(2, { events: [overdraw, swap] }))
  // The counted holding of the other token is preferred: it includes accounts that the transaction
  // does not name.
  expect(block.events[0]).toMatchObject({ holding0: 70n, holding1: 0n, native: 3n })
})

test('behavior: a pool created with liquidity has reserves from the start, one without has none', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const create = (amount0: bigint, amount1: bigint): ResolvedLiquidity => ({
    ...{ type: 'liquidity', kind: 'create', index: 0, txHash: 't', wallet: '0xa', sender: '0xa' },
    ...{ amount0, amount1, reserve0: amount0, reserve1: amount1, priceRaw: 2, pair },
  })
  const made = async (number: number, event: ResolvedLiquidity) =>
    (await ledger.apply(blockOf(number, { events: [event] }))).block.events
  expect(await made(2, create(0n, 0n))).toMatchObject([
    { type: 'liquidity', reserve0: 0n, reserve1: 0n, priceRaw: 0 },
  ])
  const state = { reserve0: 5n, reserve1: 10n, priceRaw: 2 }
  expect(await made(3, create(5n, 10n))).toMatchObject([
    { type: 'sync', ...state },
    { type: 'liquidity', amount0: 5n, amount1: 10n, ...state },
  ])
})
