// Pools whose reserves before their discovery were never reported.
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  blockOf,
  createTestLedger,
  fakeReader,
  historyOf,
  pair,
  shiftOf,
  swapOf,
  tokenOf,
  transferOf,
} from '../../../../test/support/ledgerFixture.ts'
import type { ResolvedEvent } from '../model/resolvedBlock.ts'
import type { BalanceReader } from './balanceLoader.ts'
import { decodeUndo, encodeUndo } from './undo.ts'

/** A pool without reported reserves, of tokens whose earlier holders are not counted. */
const unknownPools = new Set([pair.id])
const metBlock = blockOf(1, { tokens: [tokenOf(0), tokenOf(1)], pairs: [pair] })
const tradeEvents = [
  transferOf(0, 0, '0xb', '0xpool', 20n),
  transferOf(1, 1, '0xpool', '0xb', 10n),
  swapOf(2, 't', '0xb'),
]

test('behavior: transfers since the discovery of a pool do not make its reserves known', async () => {
  const ledger = createTestLedger()
  const { block } = await ledger.apply({ ...metBlock, unknownPools, events: tradeEvents })
  expect(block.events).toMatchObject([{ reserve0: 0n, reserve1: 0n, priceRaw: 2 }])
  // A plain transfer to a pool with unknown reserves causes no event.
  const give = [transferOf(0, 0, '0xb', '0xpool', 5n), shiftOf(0)]
  const given = await ledger.apply(blockOf(2, { unknownPools, events: give }))
  expect(given.block.events).toEqual([])
  const firstStates = [
    { pair, reserve0: 1_025n, reserve1: 990n, priceRaw: null, wasUnknown: false },
  ]
  const told = await ledger.apply(blockOf(3, { firstStates, events: [shiftOf(0)] }))
  expect(told.block.events).toEqual([
    { type: 'sync', index: 0, pairId: 0, reserve0: 1_025n, reserve1: 990n, priceRaw: 2 },
  ])
  const next = await ledger.apply(blockOf(4, { events: tradeEvents }))
  expect(next.block.events).toMatchObject([{ reserve0: 1_045n, reserve1: 980n }])
  // Reverts to where the reserves were unknown, then applies another branch.
  ledger.revert(next.block.ref, decodeUndo(encodeUndo(next.undo)))
  ledger.revert(told.block.ref, decodeUndo(encodeUndo(told.undo)))
  const again = await ledger.apply(blockOf(3, { unknownPools, events: tradeEvents }))
  expect(again.block.events).toMatchObject([{ reserve0: 0n, reserve1: 0n, priceRaw: 2 }])
  expect(again.changes).toContainEqual({ tokenId: 0, wallet: '0xpool', before: 25n, after: 45n })
})

test('behavior: transfers make reserves known if all transfers of both tokens are counted', async () => {
  const [one, both] = [createTestLedger(), createTestLedger()]
  const history0 = historyOf(0, { '0xb': 100n, '0xpool': 30n })
  const history1 = historyOf(1, { '0xpool': 70n })
  const met = { ...metBlock, unknownPools, events: tradeEvents }
  const half = await one.apply({ ...met, histories: [history0] })
  expect(half.block.events).toMatchObject([{ reserve0: 0n, reserve1: 0n }])
  const whole = await both.apply({ ...met, histories: [history0, history1] })
  expect(whole.block.events).toMatchObject([{ reserve0: 50n, reserve1: 60n }])
})

test('behavior: a pool that reports its own reserves is never unknown', async () => {
  const told = { ...swapOf(0, 't', '0xb'), reserve0: 3n, reserve1: 4n } as ResolvedEvent
  const { block } = await createTestLedger().apply({ ...metBlock, unknownPools, events: [told] })
  expect(block.events).toMatchObject([{ reserve0: 3n, reserve1: 4n }])
})

test('behavior: a first state waits for the stored balance of the pool', async () => {
  const reader = fakeReader({ '0 0xpool': 5n })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow: BalanceReader = {
    ...reader,
    loadBalances: (keys) => held.then(() => reader.loadBalances(keys)),
  }
  const ledger = createTestLedger(slow)
  const firstStates = [{ pair, reserve0: 1_000n, reserve1: 2_000n, priceRaw: 2, wasUnknown: false }]
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const applying = ledger.apply(blockOf(5, { firstStates, events: [shiftOf(0)] }))
  // Longer than a live block waits for the store in all other cases.
  await vi.advanceTimersByTimeAsync(60_000)
  vi.useRealTimers()
  release()
  const { changes } = await applying
  expect(changes).toContainEqual({ tokenId: 0, wallet: '0xpool', before: 5n, after: 1_000n })
  const { block } = await ledger.apply(blockOf(6, { events: tradeEvents }))
  expect(block.events).toMatchObject([{ reserve0: 1_020n, reserve1: 1_990n }])
})
