import { expect, test } from 'vitest'
import {
  backfill,
  blockOf,
  describedPool,
  emptySums,
  fakeReader,
  live,
  openResolver,
  swapEvent,
} from '../../../../../test/support/resolverFixture.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'

/** Opens a resolver with a manual clock, and a pool older than its first block. */
function open(
  options: {
    wanted?: PairRecord[]
    wantedTokens?: TokenRecord[]
    creationSearchesMax?: number
  } = {},
) {
  const stranger = { ...describedPool, isConfirmed: false }
  const reader = fakeReader({
    '0xmet': describedPool,
    '0xother': describedPool,
    '0xstrange': stranger,
  })
  let nowMs = 0
  const { creationSearchesMax = 10 } = options
  const resolver = openResolver({
    reader,
    clock: { nowMs: () => nowMs, sleep: async () => undefined },
    openQuestions: {
      uncreatedPairs: options.wanted ?? [],
      uncreatedTokens: options.wantedTokens ?? [],
    },
    limits: { creationSearchesMax, creationRetryMs: 1_000, creationAttemptsMax: 2 },
  })
  const told = () =>
    resolver
      .takeLateFacts()
      .flatMap(({ ref, creations = [] }) =>
        creations.map((creation) => ({ under: ref.number, ...creation })),
      )
  const toldOfTokens = () =>
    resolver
      .takeLateFacts()
      .flatMap(({ ref, tokenCreations = [] }) =>
        tokenCreations.map((creation) => ({ under: ref.number, ...creation })),
      )
  const searchesFor = (...addresses: string[]) =>
    reader.readCreatedAt.mock.calls.filter(([query]) => addresses.includes(query.address))
  return {
    reader,
    resolver,
    told,
    toldOfTokens,
    searchesFor,
    block: (number: number, pools: string[] = [], how = live) =>
      resolver.resolve(
        blockOf(
          number,
          pools.map((pool, index) => swapEvent(index, pool)),
        ),
        how,
      ),
    pass(ms: number) {
      nowMs += ms
    },
  }
}

test('default: the creation of a pool discovered late is searched and reported once', async () => {
  const { reader, block, told, searchesFor } = open()
  reader.readCreatedAt.mockResolvedValue(50)
  await block(7, ['0xmet', '0xstrange'])
  await block(8)
  const query = { at: { number: 7, hash: '7a' }, firstTransfer: null }
  expect(searchesFor('0xmet', '0xstrange')).toMatchObject([[{ address: '0xmet', ...query }]])
  expect(told()).toEqual([{ under: 7, pairId: 0, createdAtS: 50 }])
  await block(9, ['0xmet'])
  expect(searchesFor('0xmet', '0xstrange')).toHaveLength(1)
  expect(told()).toEqual([])
})

test('behavior: blocks of the same second start one search', async () => {
  const { reader, block, resolver } = open()
  reader.readCreatedAt.mockResolvedValue(50)
  const within = (number: number, timeS: number) => {
    const { ref, events } = blockOf(number, [])
    return resolver.resolve({ ref: { ...ref, timeS }, events }, live)
  }
  await block(7, ['0xmet', '0xother'])
  const searched = () => reader.readCreatedAt.mock.calls.length
  for (const number of [8, 9, 10]) await within(number, 107)
  expect(searched()).toBe(1)
  await within(11, 108)
  expect(searched()).toBe(2)
})

test('behavior: searches run one at a time, on live blocks only', async () => {
  const { reader, block, told } = open()
  let answer = (_: number) => {}
  reader.readCreatedAt.mockImplementation(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  await block(1, ['0xmet', '0xother'], backfill)
  expect(reader.readCreatedAt).not.toHaveBeenCalled()
  await block(2)
  await block(3)
  expect(reader.readCreatedAt).toHaveBeenCalledTimes(1)
  answer(50)
  await block(4)
  await block(5)
  expect(reader.readCreatedAt).toHaveBeenCalledTimes(2)
  expect(told()).toEqual([{ under: 2, pairId: 0, createdAtS: 50 }])
})

test('behavior: an unknowable creation is reported too, so that it is not searched again', async () => {
  const { block, told } = open()
  await block(7, ['0xmet'])
  await block(8)
  expect(told()).toEqual([{ under: 7, pairId: 0, createdAtS: null }])
})

test('behavior: an unanswered search is retried later, a limited number of times', async () => {
  const { reader, block, told, pass, searchesFor } = open()
  reader.readCreatedAt.mockRejectedValue(new Error('no'))
  await block(1, ['0xmet'])
  await block(2)
  expect(searchesFor('0xmet')).toHaveLength(1)
  for (const number of [3, 5, 7, 9, 11]) {
    pass(1_000)
    await block(number)
    await block(number + 1)
  }
  expect(searchesFor('0xmet')).toHaveLength(2)
  expect(told()).toEqual([])
})

test('behavior: a search is repeated after a revert, unless the pair was reverted too', async () => {
  const { reader, resolver, block, told } = open()
  reader.readCreatedAt.mockResolvedValue(50)
  await block(7, ['0xmet'], backfill)
  for (const number of [8, 9]) await block(number)
  expect(told()).toEqual([{ under: 8, pairId: 0, createdAtS: 50 }])
  for (const number of [9, 8]) resolver.revert(blockOf(number, []).ref)
  expect(told()).toEqual([])
  // The pair's tokens were queued earlier, so they are searched first.
  for (const number of [8, 9, 10, 11]) await block(number)
  expect(told()).toMatchObject([{ pairId: 0, createdAtS: 50 }])
  for (const number of [11, 10, 9, 8, 7]) resolver.revert(blockOf(number, []).ref)
  for (const number of [7, 8]) await block(number)
  expect(told()).toEqual([])
})

test('behavior: pairs of an earlier run are searched up to a limit, which may be 0', async () => {
  const pair: PairRecord = {
    id: 4,
    address: '0xold',
    kind: 'concentrated',
    token0Id: 0,
    token1Id: 1,
    factory: '0xf',
    amm: 'uniswapv3',
    isTrusted: true,
    feePpm: 500,
    createdAtS: 0,
    platform: null,
    venue: 'uniswapV3',
    params: [],
    pool: null,
    otherIds: [],
  }
  const first = open({
    wanted: [pair, { ...pair, id: 5, address: '0xolder' }],
    creationSearchesMax: 1,
  })
  for (const number of [1, 2, 3]) await first.block(number)
  expect(first.told()).toMatchObject([{ pairId: 4 }])
  const none = open({ wanted: [pair], creationSearchesMax: 0 })
  for (const number of [1, 2]) await none.block(number)
  expect(none.reader.readCreatedAt).not.toHaveBeenCalled()
})

test("behavior: a token's creation is searched once, after its transfer scan yields the first transfer", async () => {
  const { reader, block, toldOfTokens, searchesFor } = open()
  reader.readCreatedAt.mockImplementation(async ({ firstTransfer }) => firstTransfer)
  const ended: (() => void)[] = []
  reader.readHistory.mockImplementation(
    ({ token }) =>
      new Promise((resolve) => {
        const sums = { ...emptySums(), firstBlock: token === '0xaaa' ? 3 : null }
        ended.push(() => resolve(sums))
      }),
  )
  await block(7, ['0xmet', '0xother'])
  await block(8)
  await block(9)
  // Both pairs have been searched; their tokens still wait for transfer scans.
  expect(searchesFor('0xaaa', '0xweth')).toEqual([])
  for (const end of ended) end()
  for (const number of [10, 11, 12, 13]) await block(number, ['0xmet'])
  expect(searchesFor('0xaaa', '0xweth')).toMatchObject([
    [{ address: '0xaaa', firstTransfer: 3 }],
    [{ address: '0xweth', firstTransfer: null }],
  ])
  expect(toldOfTokens()).toEqual([
    { under: 10, tokenId: 0, createdAtS: 3 },
    { under: 11, tokenId: 1, createdAtS: null },
  ])
})

test('behavior: a transfer scan that ends during a block also yields the creation', async () => {
  const { reader, block, searchesFor } = open()
  const ended: (() => void)[] = []
  reader.readHistory.mockImplementation(
    () => new Promise((done) => ended.push(() => done({ ...emptySums(), firstBlock: 3 }))),
  )
  await block(7, ['0xmet'])
  reader.readStates.mockImplementationOnce(async (pools) => {
    for (const end of ended) end()
    await new Promise((done) => setImmediate(done))
    return pools.map(() => ({ reserve0: null, reserve1: null, priceRaw: null }))
  })
  await block(8, ['0xother'])
  for (const number of [9, 10, 11, 12]) await block(number)
  const firstTransfer = 3
  expect(searchesFor('0xaaa', '0xweth')).toMatchObject([[{ firstTransfer }], [{ firstTransfer }]])
})

test('behavior: tokens of unconfirmed pools are not searched, except those of an earlier run', async () => {
  const old: TokenRecord = {
    id: 9,
    address: '0xold',
    symbol: 'OLD',
    name: 'Old',
    decimals: 18,
    isUnreadable: false,
    seenAtS: 1,
  }
  const { block, toldOfTokens, searchesFor } = open({ wantedTokens: [old] })
  await block(1, ['0xstrange'])
  for (const number of [2, 3, 4]) await block(number)
  expect(searchesFor('0xaaa', '0xweth')).toEqual([])
  expect(toldOfTokens()).toEqual([{ under: 1, tokenId: 9, createdAtS: null }])
})

test('behavior: reverting the block that created a token drops its creation', async () => {
  const { reader, resolver, block, toldOfTokens } = open()
  reader.readCreatedAt.mockResolvedValue(50)
  await block(7, ['0xmet'])
  for (const number of [8, 9, 10]) await block(number)
  expect(toldOfTokens()).toHaveLength(2)
  for (const number of [10, 9, 8, 7]) resolver.revert(blockOf(number, []).ref)
  await block(7)
  expect(toldOfTokens()).toEqual([])
})
