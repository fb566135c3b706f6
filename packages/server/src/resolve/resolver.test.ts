import { expect, test, vi } from 'vitest'
import { pairDefaults } from '../../../../test/support/pairDefaults.ts'
import {
  backfill,
  blockOf,
  describedPool,
  emptySums,
  fakeReader,
  live,
  manualClock,
  moveEvent,
  noRecords,
  openResolver,
  place,
  poolEvent,
  swapEvent,
} from '../../../../test/support/resolverFixture.ts'
import { pollOptions } from '../../../../test/support/until.ts'
import type { DecodedEvent } from '../model/decodedBlock.ts'
import { nativeToken } from '../model/pool.ts'
import type { RecordReader } from './records/recordCache.ts'

test('default: addresses are replaced by ids of new records', async () => {
  const block = blockOf(1, [
    moveEvent(0, '0xaaa'),
    poolEvent(1, '0xpool'),
    moveEvent(2, '0xother'),
    swapEvent(3, '0xpool'),
  ])
  const resolved = await openResolver().resolve(block, live)
  const text = { symbol: 'AAA', name: 'Token AAA', decimals: 6, isUnreadable: false }
  expect(resolved.tokens).toMatchObject([
    { id: 0, address: '0xaaa', ...text, seenAtS: 101 },
    { id: 1, address: '0xweth', symbol: 'WETH' },
  ])
  const made = {
    amm: 'uniswapv2',
    isTrusted: true,
    createdAtS: 101,
    platform: null,
    ...pairDefaults,
  }
  expect(resolved.pairs).toMatchObject([
    { id: 0, address: '0xpool', kind: 'constantProduct', token0Id: 0, token1Id: 1, ...made },
  ])
  expect(resolved.events).toMatchObject([
    { type: 'transfer', index: 0, tokenId: 0 },
    { type: 'liquidity', index: 1, kind: 'create', amount0: 0n, amount1: 0n, pair: { id: 0 } },
    { type: 'swap', index: 3, pair: { id: 0 } },
  ])
  expect(resolved.totals).toEqual(
    new Map([
      [0, 50n],
      [1, 50n],
    ]),
  )
  expect(resolved.natives).toEqual(new Map([['0xtrader', 9n]]))
  expect(resolved.histories).toMatchObject([{ tokenId: 0 }, { tokenId: 1 }])
})

test('behavior: a launch of a configured platform creates a curve against the wrapped coin', async () => {
  const launch = { pool: '0xcurve', token0: '0xaaa', token1: nativeToken, creator: '0xc' }
  const events: DecodedEvent[] = [
    { type: 'launch', ...place(0), platform: '0xpad', ...launch },
    { type: 'curve', ...place(1), pool: '0xcurve', filledPpm: 10 },
    poolEvent(2, '0xpool'),
    { type: 'graduation', ...place(3), curve: '0xcurve', pool: '0xpool' },
    { type: 'launch', ...place(4), platform: '0xfake', ...launch, pool: '0xfakecurve' },
    { type: 'launch', ...place(5), platform: '0xfake', ...launch },
  ]
  const resolver = openResolver()
  const { pairs, events: resolved } = await resolver.resolve(blockOf(1, events), live)
  expect(pairs).toMatchObject([
    { kind: 'curve', amm: 'tapecurve', platform: 'tape', isTrusted: true, token1Id: 1 },
    { kind: 'constantProduct' },
  ])
  expect(resolved).toMatchObject([
    { type: 'launch', tokenId: 0, pair: { id: 0 } },
    { type: 'curve', pairId: 0, filledPpm: 10 },
    { type: 'liquidity', kind: 'create', pair: { id: 1 } },
    { type: 'graduation', tokenId: 0, curvePairId: 0, pairId: 1 },
  ])
  expect(resolver.stats()).toMatchObject({ unconfiguredCount: 2, droppedEventCount: 2 })
})

test('behavior: on live blocks, a pool absent one block earlier is new, whoever created it', async () => {
  const stranger = { ...describedPool, factory: '0xstranger', isConfirmed: false }
  const reader = fakeReader({ '0xold': describedPool, '0xnew': stranger, '0xsilent': stranger })
  reader.readPresence.mockImplementation(async (addresses) =>
    addresses.map((address) => (address === '0xsilent' ? null : address === '0xold')),
  )
  const events = [
    poolEvent(0, '0xmade'),
    ...['0xold', '0xnew', '0xsilent'].map((pool, at) => swapEvent(at + 1, pool)),
  ]
  const createdAt = async (options: typeof live) => {
    const { pairs } = await openResolver({ reader }).resolve(blockOf(7, events), options)
    return Object.fromEntries(pairs.map(({ address, createdAtS }) => [address, createdAtS]))
  }
  const late = { '0xmade': 107, '0xold': 0, '0xsilent': 0 }
  expect(await createdAt(live)).toEqual({ ...late, '0xnew': 107 })
  expect(reader.readPresence).toHaveBeenCalledWith(
    ['0xold', '0xnew', '0xsilent'],
    expect.objectContaining({ number: 6, hash: '6a' }),
  )
  // While catching up, nodes are not asked for presence: they may lack old state.
  expect(await createdAt(backfill)).toEqual({ ...late, '0xnew': 0 })
  expect(reader.readPresence).toHaveBeenCalledTimes(1)
})

test('behavior: a pool without a trusted creation event is asked once, and non-pools are remembered', async () => {
  const stranger = { ...describedPool, factory: '0xstranger', isConfirmed: false }
  const reader = fakeReader({ '0xmet': describedPool, '0xstrange': stranger })
  const resolver = openResolver({ reader })
  const events = [
    poolEvent(0, '0xstrange', { factory: '0xstranger' } as never),
    swapEvent(1, '0xmet'),
    swapEvent(2, '0xstrange'),
    swapEvent(3, '0xnopool'),
  ]
  const first = await resolver.resolve(blockOf(1, events), live)
  expect(first.pairs).toMatchObject([
    { address: '0xmet', amm: 'uniswapv3', isTrusted: true, feePpm: 500, createdAtS: 0 },
    { address: '0xstrange', amm: 'unknown', isTrusted: false, createdAtS: 0 },
  ])
  expect(first.events.map(({ type }) => type)).toEqual(['liquidity', 'swap', 'swap'])
  const second = await resolver.resolve(
    blockOf(2, [swapEvent(0, '0xnopool'), swapEvent(1, '0xmet')]),
    live,
  )
  expect(second.events).toHaveLength(1)
  expect(reader.readPools).toHaveBeenCalledTimes(1)
  expect(resolver.stats()).toMatchObject({ ignoredContractCount: 1, droppedEventCount: 2 })
})

test('behavior: a late discovered concentrated pool reports its state before the block once', async () => {
  const reader = fakeReader({ '0xmet': describedPool })
  const resolver = openResolver({ reader })
  const { firstStates } = await resolver.resolve(blockOf(4, [swapEvent(0, '0xmet')]), live)
  expect(firstStates).toMatchObject([{ pair: { id: 0 }, reserve0: 7n, reserve1: 8n, priceRaw: 3 }])
  expect(reader.readStates).toHaveBeenCalledWith([expect.objectContaining({ address: '0xmet' })], {
    number: 3,
    hash: '3a',
  })
  const next = await resolver.resolve(blockOf(5, [swapEvent(0, '0xmet')]), live)
  expect(next.firstStates).toEqual([])
  resolver.revert(blockOf(5, []).ref)
  resolver.revert(blockOf(4, []).ref)
  const again = await resolver.resolve(blockOf(4, [swapEvent(0, '0xmet')]), live)
  expect(again.firstStates).toHaveLength(1)
})

test('behavior: records of earlier runs come from the store', async () => {
  const reader = fakeReader()
  const first = await openResolver().resolve(blockOf(1, [poolEvent(0, '0xpool')]), live)
  const records: RecordReader = {
    ...noRecords,
    findPairs: async (addresses) =>
      first.pairs.filter(({ address }) => addresses.includes(address)),
    findTokens: async (addresses) =>
      first.tokens.filter(({ address }) => addresses.includes(address)),
  }
  const resolver = openResolver({ reader, records, nextTokenId: 2, nextPairId: 1 })
  const events = [moveEvent(0, '0xaaa'), swapEvent(1, '0xpool'), poolEvent(2, '0xnew')]
  const { events: resolved, tokens, pairs } = await resolver.resolve(blockOf(2, events), live)
  expect(resolved).toMatchObject([{ tokenId: 0 }, { pair: { id: 0 } }, { pair: { id: 1 } }])
  expect(tokens).toEqual([])
  expect(pairs).toMatchObject([{ id: 1, token0Id: 0, token1Id: 1 }])
  expect(reader.readPools).not.toHaveBeenCalled()
})

test('behavior: a revert frees ids, and the store is ignored until it has passed the revert', async () => {
  const other = poolEvent(0, '0xother', { token0: '0xbbb' } as never)
  const stale = await openResolver().resolve(blockOf(1, [poolEvent(0, '0xpool')]), live)
  const reader = fakeReader({ '0xpool': { ...describedPool, kind: 'constantProduct' } })
  const findPairs = vi.fn<RecordReader['findPairs']>(async () => stale.pairs)
  const records = { ...noRecords, findPairs, findTokens: async () => stale.tokens }
  const resolver = openResolver({ reader, records })
  findPairs.mockResolvedValueOnce([])
  await resolver.resolve(blockOf(1, [poolEvent(0, '0xpool', { token0: '0xccc' } as never)]), live)
  resolver.revert(blockOf(1, []).ref)
  findPairs.mockResolvedValueOnce([])
  const { pairs } = await resolver.resolve(blockOf(1, [other], 'b'), live)
  expect(pairs).toMatchObject([{ id: 0, address: '0xother' }])
  const next = blockOf(2, [swapEvent(0, '0xpool')])
  const { pairs: met } = await resolver.resolve(next, live)
  expect(met).toMatchObject([{ id: 1, address: '0xpool' }])
})

test('behavior: a block of another process is reverted with the records it created', async () => {
  const created = await openResolver().resolve(blockOf(1, [poolEvent(0, '0xpool')]), live)
  const resolver = openResolver({ nextTokenId: 2, nextPairId: 1 })
  resolver.revert(blockOf(1, []).ref, created)
  const { pairs, tokens } = await resolver.resolve(blockOf(1, [poolEvent(0, '0xpool')], 'b'), live)
  expect([pairs[0]!.id, tokens[0]!.id]).toEqual([0, 0])
})

test('behavior: a long transfer scan is delivered with a later block, including all moves since', async () => {
  const reader = fakeReader()
  const clock = manualClock()
  let answer = () => {}
  reader.readHistory.mockImplementation((query) => {
    if (query.token !== '0xaaa') return Promise.resolve(emptySums())
    const sums = { balances: new Map([['0xold', 5n]]), voided: 0n, logCount: 1, firstBlock: 1 }
    return new Promise((resolve) => {
      answer = () => resolve(sums)
    })
  })
  const resolver = openResolver({ reader, clock })
  const events = [poolEvent(0, '0xpool'), moveEvent(1, '0xaaa', 2n)]
  const resolving = resolver.resolve(blockOf(1, events), live)
  await vi.waitFor(() => expect(reader.readHistory).toHaveBeenCalledTimes(2), pollOptions)
  clock.pass()
  expect((await resolving).histories).toMatchObject([{ tokenId: 1 }])
  await resolver.resolve(blockOf(2, [moveEvent(0, '0xaaa', 3n)]), backfill)
  answer()
  await vi.waitFor(() => expect(resolver.stats().openScanCount).toBe(0), pollOptions)
  const expected = {
    tokenId: 0,
    balances: new Map([
      ['0xold', 5n],
      ['0xtrader', 5n],
    ]),
    voided: 0n,
    totalSupply: 60n,
    isContradicted: false,
  }
  const third = await resolver.resolve(blockOf(3, [moveEvent(0, '0xaaa', 7n)]), backfill)
  expect(third.histories).toEqual([expected])
  resolver.revert(third.ref)
  expect((await resolver.resolve(blockOf(3, []), backfill)).histories).toEqual([expected])
  expect((await resolver.resolve(blockOf(4, []), backfill)).histories).toEqual([])
})

test('behavior: catching up waits for metadata and skips native balances', async () => {
  const reader = fakeReader()
  const resolver = openResolver({ reader, clock: manualClock() })
  const block = blockOf(1, [poolEvent(0, '0xpool'), swapEvent(1, '0xpool')])
  const { tokens, natives } = await resolver.resolve(block, backfill)
  expect(tokens[0]!.symbol).toBe('AAA')
  expect(natives.size).toBe(0)
  expect(reader.readNatives).not.toHaveBeenCalled()
})

test('behavior: a cache of two records gives the same results as an unlimited one', async () => {
  const rows = { pairs: new Map(), tokens: new Map() } as const
  const records: RecordReader = {
    ...noRecords,
    findPairs: async (addresses) => addresses.flatMap((address) => rows.pairs.get(address) ?? []),
    findTokens: async (addresses) => addresses.flatMap((address) => rows.tokens.get(address) ?? []),
  }
  const limits = { pairsMax: 2, tokensMax: 2, unknownAddressesMax: 1 }
  const small = openResolver({ records, limits })
  const large = openResolver()
  for (let number = 1; number < 30; number++) {
    const events: DecodedEvent[] = [
      poolEvent(0, `0xpool${number}`, { token0: `0xt${number}` } as never),
      ...Array.from({ length: number }, (_, i) => moveEvent(i + 1, `0xt${i}`)),
      ...Array.from({ length: number }, (_, i) => swapEvent(100 + i, `0xpool${i + 1}`)),
    ]
    const [one, two] = await Promise.all([
      small.resolve(blockOf(number, events), backfill),
      large.resolve(blockOf(number, events), backfill),
    ])
    expect(one).toEqual(two)
    for (const pair of one.pairs) rows.pairs.set(pair.address, pair)
    for (const token of one.tokens) rows.tokens.set(token.address, token)
    small.onPersisted(number)
  }
  expect(small.stats().pairCount).toBeLessThanOrEqual(3)
})

test('error: a block of another process cannot be reverted without its created records', () => {
  expect(() => openResolver().revert(blockOf(1, []).ref)).toThrow(
    'the records it created are unknown',
  )
})
