import { expect, test, vi } from 'vitest'
import {
  balanceOf,
  blockOf,
  createTestLedger,
  dead,
  fakeReader,
  firstBlock,
  historyOf,
  pair,
  refOf,
  shiftOf,
  swapOf,
  transferOf,
} from '../../../../test/support/ledgerFixture.ts'
import { pollOptions } from '../../../../test/support/until.ts'
import { accountChangeFlag, type FinishedSwap } from '../model/finishedBlock.ts'
import { decodeUndo, encodeUndo } from './undo.ts'

const supplyOf = (tokenId: number, total: bigint) => ({
  tokenId,
  total,
  burnt: 0n,
  locked: 0n,
  other: 0n,
  holders: 1,
  isComplete: true,
})

test('default: transfers move balances, supplies and holder counts', async () => {
  const ledger = createTestLedger()
  const { block, changes } = await ledger.apply(firstBlock)
  expect(block.supplies).toEqual([
    { tokenId: 0, total: 109n, burnt: 10n, locked: 0n, other: 0n, holders: 3, isComplete: true },
    { tokenId: 1, total: 59n, burnt: 0n, locked: 9n, other: 0n, holders: 2, isComplete: true },
  ])
  expect(changes).toContainEqual({ tokenId: 0, wallet: '0xa', before: 0n, after: 59n })
  expect(changes).toContainEqual({ tokenId: 0, wallet: '0xpool', before: 0n, after: 40n })
  expect(block.events).toEqual([])
})

test('behavior: a swap has the holdings at its position, reserves and account flags', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const { block } = await ledger.apply(
    blockOf(2, {
      natives: new Map([['0xb', 3n]]),
      events: [
        transferOf(0, 0, '0xpool', '0xb', 5n, 'tx1'),
        transferOf(1, 1, '0xb', '0xpool', 50n, 'tx1'),
        swapOf(2, 'tx1', '0xb'),
        transferOf(3, 0, '0xb', '0xpool', 5n, 'tx2'),
        transferOf(4, 1, '0xpool', '0xb', 2n, 'tx2'),
        swapOf(5, 'tx2', '0xb'),
      ],
    }),
  )
  const [buy, sell] = block.events as FinishedSwap[]
  expect(buy).toMatchObject({
    holding0: 5n,
    holding1: 0n,
    reserve0: 35n,
    reserve1: 50n,
    native: 3n,
  })
  expect(buy!.accountFlags).toBe(accountChangeFlag.token0New | accountChangeFlag.token1Cleared)
  expect(sell).toMatchObject({ holding0: 0n, holding1: 2n, reserve0: 40n, reserve1: 48n })
  expect(sell!.accountFlags).toBe(accountChangeFlag.token0Cleared | accountChangeFlag.token1New)
})

test('behavior: an event without a price has the last price of its pool', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const place = { txHash: 't', wallet: '0xb', sender: '0xb', amount0: 1n, amount1: 1n, pair }
  const silent = { reserve0: null, reserve1: null, priceRaw: null, ...place }
  const { block } = await ledger.apply(
    blockOf(2, {
      events: [
        { type: 'liquidity', kind: 'add', index: 0, ...silent },
        swapOf(1, 't', '0xb'),
        { type: 'liquidity', kind: 'remove', index: 2, ...silent },
      ],
      firstStates: [{ pair, reserve0: 40n, reserve1: 0n, priceRaw: 1.5, wasUnknown: false }],
    }),
  )
  expect(block.events).toMatchObject([{ priceRaw: 1.5 }, { priceRaw: 2 }, { priceRaw: 2 }])
})

test('behavior: a plain transfer to a pool causes a sync, and is reverted exactly', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const firstStates = [{ pair, reserve0: 40n, reserve1: 0n, priceRaw: 1.5, wasUnknown: false }]
  const give = blockOf(2, {
    firstStates,
    events: [
      transferOf(0, 1, '0xb', '0xc', 10n),
      transferOf(1, 0, '0xa', '0xpool', 5n),
      shiftOf(1),
      // This reserve change is inside the trader's transaction and does not end the transaction.
      transferOf(2, 1, '0xb', '0xpool', 40n),
      swapOf(3, 'tx', '0xb'),
      transferOf(4, 1, '0xpool', '0xc', 30n),
      shiftOf(4),
    ],
  })
  const { block, undo } = await ledger.apply(give)
  expect(block.events).toMatchObject([
    { type: 'sync', index: 1, pairId: 0, reserve0: 45n, reserve1: 0n, priceRaw: 1.5 },
    { type: 'swap', index: 3, accountFlags: accountChangeFlag.token1Cleared },
    { type: 'sync', index: 4, pairId: 0, reserve0: 45n, reserve1: 10n, priceRaw: 2 },
  ])
  ledger.revert(give.ref, decodeUndo(encodeUndo(undo)))
  const later = await ledger.apply(blockOf(2, { firstStates, events: [shiftOf(0)] }))
  expect(later.changes).toEqual([])
  expect(later.block.events).toMatchObject([{ reserve0: 40n, reserve1: 0n, priceRaw: 1.5 }])
})

test('behavior: reserves are not guessed while the store is down', async () => {
  const reader = fakeReader()
  reader.isDown = true
  const events = [transferOf(0, 0, '0xa', '0xpool', 5n), shiftOf(0)]
  const { block } = await createTestLedger(reader).apply(blockOf(2, { events }))
  expect(block.events).toEqual([])
})

test('behavior: a token that overdraws a balance is marked, and the balance stays at zero', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const { block, changes } = await ledger.apply(
    blockOf(2, { events: [transferOf(0, 0, '0xa', '0xc', 60n), swapOf(1, 't', '0xa')] }),
  )
  expect(block.supplies).toMatchObject([{ tokenId: 0, holders: 3, isComplete: false }])
  expect(changes).toContainEqual({ tokenId: 0, wallet: '0xa', before: 59n, after: 0n })
  expect(block.events[0]).toMatchObject({ holding0: null, holding1: 0n, accountFlags: 0 })
  expect(ledger.stats().contradictionCount).toBe(1)
})

test('behavior: holders without transfers are detected by the total supply', async () => {
  const ledger = createTestLedger()
  const { block } = await ledger.apply({
    ...firstBlock,
    totals: new Map([
      [0, 200n],
      [1, 59n],
    ]),
  })
  expect(block.supplies).toMatchObject([
    { total: 200n, isComplete: false },
    { total: 59n, isComplete: true },
  ])
})

test('behavior: a total supply that includes the zero address is not a contradiction', async () => {
  const ledger = createTestLedger()
  const { block } = await ledger.apply({ ...firstBlock, totals: new Map([[0, 110n]]) })
  expect(block.supplies[0]).toMatchObject({ total: 109n, isComplete: true })
})

test('behavior: the transfer history of an incomplete token replaces its holders', async () => {
  const ledger = createTestLedger()
  await ledger.apply({ ...firstBlock, histories: [], totals: new Map([[0, 500n]]) })
  const { block, changes } = await ledger.apply(
    blockOf(2, {
      histories: [historyOf(0, { '0xa': 59n, '0xpool': 40n, [dead]: 10n, '0xold': 391n })],
      events: [transferOf(0, 0, '0xold', '0xa', 1n)],
    }),
  )
  expect(block.supplies).toEqual([
    { tokenId: 0, total: 500n, burnt: 10n, locked: 0n, other: 0n, holders: 4, isComplete: true },
  ])
  expect(changes).toContainEqual({ tokenId: 0, wallet: '0xold', before: 0n, after: 390n })
  expect(changes).toContainEqual({ tokenId: 0, wallet: '0xa', before: 0n, after: 60n })
})

test('behavior: holders that contradict the token itself stay incomplete', async () => {
  const ledger = createTestLedger()
  await ledger.apply({ ...firstBlock, histories: [], totals: new Map([[0, 500n]]) })
  const history = historyOf(0, { '0xa': 59n, '0xpool': 40n, [dead]: 10n, '0xold': 391n })
  const { block } = await ledger.apply(
    blockOf(2, { histories: [{ ...history, isContradicted: true }] }),
  )
  expect(block.supplies).toMatchObject([{ tokenId: 0, total: 500n, isComplete: false }])
})

test('behavior: a pool discovered after its creation has the reserves that the chain reports', async () => {
  const supply = { tokenId: 0, total: 9n, burnt: 0n, locked: 0n, other: 0n, holders: 0 }
  const supplies = [
    { ...supply, isComplete: false },
    { ...supply, tokenId: 1, isComplete: false },
  ]
  const ledger = createTestLedger(fakeReader({}, supplies))
  const { block } = await ledger.apply(
    blockOf(5, {
      firstStates: [{ pair, reserve0: 1_000n, reserve1: 2_000n, priceRaw: 2, wasUnknown: false }],
      events: [
        transferOf(0, 0, '0xpool', '0xb', 5n),
        transferOf(1, 1, '0xb', '0xpool', 10n),
        swapOf(2, 't', '0xb'),
      ],
    }),
  )
  expect(block.events[0]).toMatchObject({ reserve0: 995n, reserve1: 2_010n, holding0: null })
})

test('behavior: balances of earlier runs are read from the store at once', async () => {
  const supply = { tokenId: 0, total: 9n, burnt: 0n, locked: 0n, other: 0n, isComplete: true }
  const reader = fakeReader({ '0 0xa': 9n }, [{ ...supply, holders: 1 }])
  const ledger = createTestLedger(reader)
  const { block, changes } = await ledger.apply(
    blockOf(7, {
      events: [transferOf(0, 0, '0xa', '0xb', 9n), transferOf(1, 0, '0xb', '0xc', 4n)],
    }),
  )
  expect(reader.asked).toHaveLength(3)
  expect(changes).toContainEqual({ tokenId: 0, wallet: '0xa', before: 9n, after: 0n })
  expect(block.supplies).toEqual([{ ...supply, holders: 2 }])
})

test('behavior: holdings are unknown while the store is down, and reported when it is back', async () => {
  const supply = { total: 9n, burnt: 0n, locked: 0n, other: 0n, isComplete: true }
  const supplies = [
    { tokenId: 0, ...supply, holders: 1 },
    { tokenId: 1, ...supply, holders: 1 },
  ]
  const reader = fakeReader({ '0 0xa': 9n, '1 0xb': 9n }, supplies)
  const ledger = createTestLedger(reader)
  reader.isDown = true
  const first = await ledger.apply(
    blockOf(7, { events: [transferOf(0, 0, '0xa', '0xb', 9n), swapOf(1, 't', '0xb')] }),
  )
  expect(first.changes).toEqual([])
  expect(first.block.supplies).toEqual([])
  expect(first.block.events[0]).toMatchObject({ holding0: null, holding1: null, accountFlags: 0 })
  expect(ledger.stats().unknownCount).toBeGreaterThan(0)
  reader.isDown = false
  const second = await ledger.apply(blockOf(8, { events: [transferOf(0, 0, '0xb', '0xc', 2n)] }))
  expect(second.changes).toEqual(
    expect.arrayContaining([
      { tokenId: 0, wallet: '0xa', before: 9n, after: 0n },
      { tokenId: 0, wallet: '0xb', before: 0n, after: 7n },
      { tokenId: 0, wallet: '0xc', before: 0n, after: 2n },
    ]),
  )
  expect(second.changes).toHaveLength(3)
  expect(second.block.supplies).toContainEqual({ ...supplies[0], holders: 2 })
  ledger.revert(refOf(8))
  ledger.revert(refOf(7))
  const again = await ledger.apply(blockOf(7, { events: [transferOf(0, 0, '0xa', '0xz', 9n)] }))
  expect(again.changes).toContainEqual({ tokenId: 0, wallet: '0xa', before: 9n, after: 0n })
  expect(again.block.supplies).toContainEqual(supplies[0])
})

test('behavior: a slow store does not delay a live block, and its late answer is used', async () => {
  const answers: (() => void)[] = []
  const supply = { tokenId: 0, total: 9n, burnt: 0n, locked: 0n, other: 0n, isComplete: true }
  const ledger = createTestLedger({
    loadBalances: (keys) =>
      new Promise((resolve) => answers.push(() => resolve(keys.map(() => 9n)))),
    loadSupplies: async () => [{ ...supply, holders: 2 }],
  })
  const first = await ledger.apply(blockOf(7, { events: [transferOf(0, 0, '0xa', '0xb', 9n)] }))
  expect(first.changes).toEqual([])
  for (const answer of answers) answer()
  await vi.waitFor(() => expect(ledger.stats().unknownCount).toBe(0), pollOptions)
  const second = await ledger.apply(blockOf(8, {}))
  expect(second.changes).toEqual([
    { tokenId: 0, wallet: '0xa', before: 9n, after: 0n },
    { tokenId: 0, wallet: '0xb', before: 9n, after: 18n },
  ])
  expect(second.block.supplies).toEqual([{ ...supply, holders: 1 }])
})

test('behavior: another process reverts a block with its encoded undo record', async () => {
  const first = createTestLedger()
  const { block } = await first.apply(firstBlock)
  const events = [transferOf(0, 0, '0xa', '0xb', 59n), swapOf(1, 't', '0xb')]
  const { undo } = await first.apply(blockOf(2, { events }))
  const balances = { '0 0xa': 0n, '0 0xb': 59n }
  const second = createTestLedger(fakeReader(balances, block.supplies))
  second.revert(refOf(2), decodeUndo(encodeUndo(undo)))
  const again = await second.apply(blockOf(2, { events: [transferOf(0, 0, '0xa', '0xc', 1n)] }))
  expect(again.changes).toEqual([
    { tokenId: 0, wallet: '0xa', before: 59n, after: 58n },
    { tokenId: 0, wallet: '0xc', before: 0n, after: 1n },
  ])
  expect(again.block.supplies).toMatchObject([{ tokenId: 0, total: 109n, holders: 4 }])
})

test('error: a block of another process without its undo record', async () => {
  expect(() => createTestLedger().revert(refOf(3))).toThrow('its undo record is not kept')
})

test('behavior: a balance received in another transaction is not a new account', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const events = [
    transferOf(0, 0, '0xa', '0xb', 5n, 'gift'),
    transferOf(1, 0, '0xpool', '0xb', 5n, 'trade'),
    swapOf(2, 'trade', '0xb'),
  ]
  const [swap] = (await ledger.apply(blockOf(2, { events }))).block.events as FinishedSwap[]
  expect(swap!.holding0).toBe(10n)
  expect(swap!.accountFlags & accountChangeFlag.token0New).toBe(0)
})

test('behavior: a balance event sets the balance, and the total if all holders are known', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const events = [
    balanceOf(0, 0, '0xa', 20n),
    balanceOf(1, 0, '0xc', 39n),
    balanceOf(2, 1, dead, 4n),
  ]
  const { block, changes, undo } = await ledger.apply(blockOf(2, { events }))
  expect(changes).toEqual([
    { tokenId: 0, wallet: '0xa', before: 59n, after: 20n },
    { tokenId: 0, wallet: '0xc', before: 0n, after: 39n },
    { tokenId: 1, wallet: dead, before: 0n, after: 4n },
  ])
  expect(block.supplies).toMatchObject([
    { tokenId: 0, total: 109n, holders: 4, isComplete: true },
    { tokenId: 1, total: 63n, burnt: 4n, holders: 3, isComplete: true },
  ])
  ledger.revert(refOf(2), decodeUndo(encodeUndo(undo)))
  const again = await ledger.apply(blockOf(2, { events: [balanceOf(0, 0, '0xa', 58n)] }))
  expect(again.changes).toEqual([{ tokenId: 0, wallet: '0xa', before: 59n, after: 58n }])
  expect(again.block.supplies).toMatchObject([{ tokenId: 0, total: 108n, holders: 3 }])
})

test('behavior: hidden amounts keep the total and make holders incomplete', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const events = [{ ...balanceOf(0, 0, '0xa', 0n), isHidden: true }, swapOf(1, 'tx1', '0xa')]
  const { block, undo } = await ledger.apply(blockOf(2, { events }))
  expect(block.supplies).toMatchObject([{ tokenId: 0, total: 109n, isComplete: false }])
  expect((block.events[0] as FinishedSwap).holding0).toBeNull()
  ledger.revert(refOf(2), decodeUndo(encodeUndo(undo)))
  const again = await ledger.apply(blockOf(2, { events: [balanceOf(0, 0, '0xa', 58n)] }))
  expect(again.block.supplies).toMatchObject([{ tokenId: 0, total: 108n, isComplete: true }])
})

test('behavior: account flags report what the transaction did to accounts of the trader', async () => {
  const ledger = createTestLedger()
  await ledger.apply(firstBlock)
  const of = (index: number, tokenId: number, amount: bigint, [isOpened, isClosed]: boolean[]) => ({
    ...balanceOf(index, tokenId, '0xb', amount),
    accounts: { isOpened: isOpened!, isClosed: isClosed! },
  })
  const { block } = await ledger.apply(
    blockOf(2, {
      events: [
        // The trader already had an empty account of this token.
        { ...of(0, 0, 5n, [false, false]), txHash: 'tx1' },
        { ...of(1, 1, 0n, [false, false]), txHash: 'tx1' },
        swapOf(2, 'tx1', '0xb'),
        { ...of(3, 0, 0n, [false, true]), txHash: 'tx2' },
        { ...of(4, 1, 9n, [true, false]), txHash: 'tx2' },
        swapOf(5, 'tx2', '0xb'),
        // The third transaction changes no account, so it sets no flag.
        swapOf(6, 'tx3', '0xb'),
      ],
    }),
  )
  const { token0Cleared, token0Closed, token1Cleared, token1New } = accountChangeFlag
  expect(block.events.map((event) => (event as FinishedSwap).accountFlags)).toEqual([
    token1Cleared,
    token0Cleared | token0Closed | token1New,
    0,
  ])
})

test('behavior: a balance unknown to the store is not a mint, and holders become incomplete', async () => {
  const reader = fakeReader({ '0 0xa': 7n }, [supplyOf(0, 100n)])
  reader.isDown = true
  const ledger = createTestLedger(reader)
  const events = [balanceOf(0, 0, '0xa', 20n)]
  expect((await ledger.apply(blockOf(1, { events }))).changes).toEqual([])
  reader.isDown = false
  const { changes, block } = await ledger.apply(blockOf(2, { events }))
  expect(changes).toEqual([{ tokenId: 0, wallet: '0xa', before: 7n, after: 20n }])
  expect(block.supplies).toMatchObject([{ tokenId: 0, total: 100n, isComplete: false }])
})
