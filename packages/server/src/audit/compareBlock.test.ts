import { expect, test } from 'vitest'
import type { PairRecord } from '../model/pair.ts'
import type { ResolvedEvent, ResolvedLiquidity, ResolvedSwap } from '../model/resolvedBlock.ts'
import { compareBlock, type StoredEvent } from './auditBlocks.ts'

const ref = { number: 7, hash: '0x07', parentNumber: 6, parentHash: '0x06', timeS: 1_700_000_000 }
const pair = { id: 3, address: '0xpair' } as PairRecord
const state = { reserve0: null, reserve1: null, priceRaw: null }

const swap: ResolvedSwap = {
  type: 'swap',
  index: 2,
  txHash: '0xtx',
  wallet: '0xw',
  sender: '0xs',
  to: '0xt',
  amount0: 5n,
  amount1: -4n,
  pair,
  ...state,
}
const added: ResolvedLiquidity = {
  type: 'liquidity',
  kind: 'add',
  index: 1,
  txHash: '0xtx',
  wallet: '0xw',
  sender: '0xs',
  amount0: 9n,
  amount1: 8n,
  pair,
  ...state,
}
const rowOf = ({ index, txHash, wallet, amount0, amount1 }: typeof swap | typeof added) => {
  return { index, pairId: pair.id, txHash, wallet, amount0, amount1 }
}
const swapRow: StoredEvent = rowOf(swap)
const addedRow: StoredEvent = { ...rowOf(added), kind: 'add' }

function found(
  events: readonly ResolvedEvent[],
  swaps: readonly StoredEvent[] | null,
  liquidity: readonly StoredEvent[] | null = [],
  hash: string | null = ref.hash,
): string[] {
  return compareBlock(ref, events, { hash, swaps, liquidity }).map(({ kind, msg, block }) => {
    expect(block).toEqual({ number: 7, hash: '0x07' })
    return `${kind}: ${msg}`
  })
}

test('default: equal data gives no finding', () => {
  expect(found([added, swap], [swapRow], [addedRow])).toEqual([])
  expect(found([], [])).toEqual([])
})

test('behavior: findings for missing, changed, surplus and replaced events', () => {
  expect(found([swap], [])).toEqual([
    'missing: Block 7: swap 2 of pair 0xpair in 0xtx is not stored.',
  ])
  expect(found([swap], [{ ...swapRow, amount1: -3n, wallet: '0xv' }])).toEqual([
    'changed: Block 7: swap 2 of pair 0xpair: wallet is 0xw on the chain, 0xv is stored.',
    'changed: Block 7: swap 2 of pair 0xpair: amount1 is -4 on the chain, -3 is stored.',
  ])
  expect(found([], [swapRow], [addedRow])).toEqual([
    'unexpected: Block 7: swap 2 in 0xtx is stored, and the chain has none there.',
    'unexpected: Block 7: add 1 in 0xtx is stored, and the chain has none there.',
  ])
  expect(found([], [], [], '0x08')).toEqual([
    'hash: Block 7: it is 0x07 on the chain, 0x08 is stored.',
  ])
})

test('behavior: data that is not kept or not in the event is not compared', () => {
  expect(found([swap, added], null, null, null)).toEqual([])
  const untold = { ...added, amount0: 0n, amount1: 0n }
  expect(found([untold], [], [addedRow])).toEqual([])
  expect(found([untold], [], [{ ...addedRow, kind: 'remove' }])).toEqual([
    'changed: Block 7: add 1 of pair 0xpair: kind is add on the chain, remove is stored.',
  ])
})
