import { setImmediate as yieldLoop } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fillKlines, readKlines } from '../../packages/server/src/gateway/chain/readKlines.ts'
import {
  appendRecentRows,
  recentSwaps,
} from '../../packages/server/src/gateway/chain/recentRows.ts'
import { readConsistent } from '../../packages/server/src/gateway/chain/storeReads.ts'
import { readWalletSwaps } from '../../packages/server/src/gateway/chain/walletSwaps.ts'
import { klineLengths } from '../../packages/server/src/gateway/inputs/klineLengths.ts'
import {
  quoteIdsOf,
  readPositions,
  readTokenPositions,
} from '../../packages/server/src/gateway/rest/wallets/readPositions.ts'
import { currentKline } from '../../packages/server/src/model/klines/currentKline.ts'
import {
  type Kline,
  klineIntervalsS,
  klineStartS,
} from '../../packages/server/src/model/klines/kline.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import type { StoredSwap } from '../../packages/server/src/store/read/history.ts'
import type { WalletVolume } from '../../packages/server/src/store/read/smartWallets.ts'
import { createLiveMarket, type LiveMarket } from '../support/liveMarket.ts'
import {
  positionsOf,
  tokenPositionsOf,
  walletSwapsOf,
  walletVolumesOf,
} from '../support/memoryWallets.ts'
import { silentLogger } from '../support/postgres.ts'
import { createRandom } from '../support/random.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let postgres: TestPostgres
let store: Store

beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())
beforeEach(async () => {
  const connection = await postgres.createDatabase()
  store = await openStore({ connection, logger: silentLogger })
  return () => store.close()
})

const stepsMin = 250
const always = { fromS: 0, toS: 2 ** 40 }
const placeOf = ({ blockNumber, event }: StoredSwap) => `${blockNumber}-${event.swap.txHash}`

/** Klines computed from the swaps only. */
function klinesOfSwaps({ engine }: LiveMarket, swaps: readonly StoredSwap[], interval: number) {
  const klines: Kline[] = []
  let [closeUsd, closeNative] = [0, 0]
  for (const { timeS, event } of swaps) {
    const { record, targetTokenId } = engine.pairState(event.swap.pairId)
    const is0 = targetTokenId === record.token0Id
    const { quote } = event
    const usd = (is0 ? quote.price0Usd : quote.price1Usd) ?? 0
    const native = (is0 ? quote.price0Native : quote.price1Native) ?? 0
    const startS = klineStartS(timeS, klineIntervalsS[interval]!)
    if (klines.at(-1)?.startS !== startS)
      klines.push({
        startS,
        volumeUsdE8: 0n,
        volumeNativeRaw: 0n,
        count: 0,
        usd: { open: closeUsd, high: closeUsd, low: closeUsd, close: closeUsd },
        native: { open: closeNative, high: closeNative, low: closeNative, close: closeNative },
      })
    const kline = klines.at(-1)!
    for (const [ohlc, price] of [[kline.usd, usd] as const, [kline.native, native] as const]) {
      if (price === 0) continue
      if (ohlc.open === 0) Object.assign(ohlc, { open: price, high: price, low: price })
      ohlc.high = Math.max(ohlc.high, price)
      ohlc.low = Math.min(ohlc.low, price)
      ohlc.close = price
    }
    closeUsd = usd || closeUsd
    closeNative = native || closeNative
    kline.volumeUsdE8 += BigInt(event.amountUsdE8)
    kline.volumeNativeRaw += event.amountNativeRaw
    kline.count += 1
  }
  return klines
}

function storedLength(interval: number) {
  return klineLengths.find(
    (length) => length.storedInterval === interval && length.storedKlinesMax === 1,
  )!
}

async function checkKlines(market: LiveMarket, pairId: number, interval: number): Promise<void> {
  const { chain, engine } = market
  const { address } = engine.pairState(pairId).record
  const query = { chain, length: storedLength(interval), ...always, limit: 1_000 }
  const klines = await readKlines(store, { pair: address }, query)
  // A reorg may have removed the pair meanwhile.
  if (engine.findPair(address) !== pairId) return expect(klines).toEqual([])
  const swaps = market.swaps().filter(({ event }) => event.swap.pairId === pairId)
  const expected = klinesOfSwaps(market, swaps, interval)
  closeAtCurrent(expected, market, pairId, interval)
  expect(klines).toEqual(expected.slice(-1_000))
}

/** Closes the open kline at the current price: the quote token's price moves it between trades. */
function closeAtCurrent(
  klines: Kline[],
  { engine }: LiveMarket,
  pairId: number,
  interval: number,
): void {
  const startS = klineStartS(engine.head()!.timeS, klineIntervalsS[interval]!)
  const last = klines.at(-1)
  const lastClose = { usd: last?.usd.close ?? 0, native: last?.native.close ?? 0 }
  const traded = last?.startS === startS ? last : null
  const open = currentKline({ startS, traded, lastClose, current: engine.pairPrice(pairId) })
  if (open !== null) klines.splice(klines.length - (traded === null ? 0 : 1), 1, open)
}

async function checkSwaps(market: LiveMarket, pairId: number, order: 'asc' | 'desc') {
  const { chain } = market
  const range = { ...always, limit: 25, order }
  const rows = await readConsistent(
    chain,
    (blockMax) => store.loadSwaps({ chainId: chain.storeId, pairId, blockMax, ...range }),
    (stored, blocks) =>
      appendRecentRows(
        stored,
        recentSwaps(blocks, ({ swap }) => swap.pairId === pairId),
        range,
      ),
  )
  const all = market.swaps().filter(({ event }) => event.swap.pairId === pairId)
  const expected = order === 'asc' ? all.slice(0, 25) : all.reverse().slice(0, 25)
  expect(rows.map(placeOf)).toEqual(expected.map(placeOf))
}

async function checkWallet(market: LiveMarket, wallet: string): Promise<void> {
  const { chain, engine } = market
  const query = { wallet, ...always, txHash: null, before: null, limit: 40 }
  const rows = await readWalletSwaps(store, { ...query, chain, token: null, toRow: placeOf })
  const pairOf = (pairId: number) => engine.pairState(pairId).record
  const blockMax = Number.MAX_SAFE_INTEGER
  const ids = { chainId: chain.storeId, tokenId: null, quoteIds: quoteIdsOf(chain), blockMax }
  const expected = walletSwapsOf(market.swaps(), pairOf, { ...query, ...ids })
  expect(rows).toEqual(expected.map(placeOf))
  const positions = await readPositions(store, chain, wallet, null)
  const naive = positionsOf(market.swaps(), pairOf, { ...ids, wallet, limit: 2_000 })
  const byToken = (a: { tokenId: number }, b: { tokenId: number }) => a.tokenId - b.tokenId
  expect(positions.sort(byToken)).toEqual(naive.sort(byToken))
  const token = engine.tokenRecord(naive[0]?.tokenId ?? 0)
  const wallets = [wallet, ...new Set(market.swaps().map(({ event }) => event.swap.wallet))].slice(
    0,
    5,
  )
  const of = await readTokenPositions(store, chain, token.address, wallets)
  const perWallet = { ...ids, tokenId: token.id, wallets, swapsMax: 2_000 }
  expect(of).toEqual(tokenPositionsOf(market.swaps(), pairOf, perWallet))
}

test('behavior: history has no gap and no duplicate while blocks are added, reverted and stored', async () => {
  const market = await createLiveMarket(store, 7)
  const random = createRandom(7)
  const upTo = (max: number) => Math.floor(random() * (max + 1))
  let isRunning = true
  let betweenCount = 0

  async function read(): Promise<void> {
    for (let turn = 0; isRunning; turn += 1) {
      const { engine } = market
      const head = engine.head()!.number
      if (market.persistedNumber() < head) betweenCount += 1
      const pairId = upTo(Math.min(4, engine.pairCount() - 1))
      if (turn % 3 === 0) await checkKlines(market, pairId, [0, 1, 2, 5, 8, 9][upTo(5)]!)
      else if (turn % 3 === 1) await checkSwaps(market, upTo(2), turn % 2 === 0 ? 'asc' : 'desc')
      else await checkWallet(market, `wallet-${upTo(11)}`)
    }
  }

  for (let first = 0; first < 3; first += 1) market.commit()
  const readers = [read(), read(), read()]
  const stopped = Promise.all(readers).finally(() => {
    isRunning = false
  })
  // Awaited below; this handler only prevents an unhandled rejection.
  stopped.catch(() => undefined)
  // Continues until enough reads saw a block in memory that the store did not have; otherwise
  // little was tested.
  const isEnough = (step: number) => step >= stepsMin && betweenCount > 20
  for (let step = 0; isRunning && !isEnough(step); step += 1) {
    if (random() < 0.15) for (let depth = upTo(4); depth >= 0; depth -= 1) market.revert()
    market.commit()
    for (let turns = upTo(6); turns >= 0; turns -= 1) await yieldLoop()
    // Blocks come no faster than they are stored, so that slow readers keep up.
    if (step >= stepsMin) await market.flush()
  }
  isRunning = false
  await stopped
  await market.flush()
  await checkKlines(market, 0, 2)
  for (const wallet of ['wallet-0', 'wallet-1', 'wallet-2']) await checkWallet(market, wallet)
})

test('behavior: pages of a wallet follow each other without a gap', async () => {
  const market = await createLiveMarket(store, 11)
  for (let count = 0; count < 60; count += 1) market.commit()
  await market.flush()
  for (let count = 0; count < 5; count += 1) market.commit()
  const { chain } = market
  const wallet = 'wallet-3'
  const places: string[] = []
  const query = { chain, wallet, ...always, txHash: null, token: null, limit: 7 }
  for (let before: { timeS: number; block: number; index: number } | null = null; ; ) {
    const page: StoredSwap[] = await readWalletSwaps(store, {
      ...query,
      before,
      toRow: (row) => row,
    })
    places.push(...page.map(placeOf))
    const last = page.at(-1)
    if (last === undefined) break
    before = { timeS: last.timeS, block: last.blockNumber, index: last.event.swap.index }
  }
  const all = market.swaps().filter(({ event }) => event.swap.wallet === wallet)
  expect(places).toEqual(all.reverse().map(placeOf))
  const token = 'token-3'
  const ofToken = await readWalletSwaps(store, {
    ...query,
    token,
    limit: 1_000,
    before: null,
    toRow: ({ event }) => event.swap.pairId,
  })
  expect(ofToken.length).toBeGreaterThan(0)
  const tokenId = market.engine.findToken(token)
  for (const pairId of ofToken) {
    const { token0Id, token1Id } = market.engine.pairState(pairId).record
    expect([token0Id, token1Id]).toContain(tokenId)
  }
})

test('behavior: filled klines have every bucket, flat where nothing traded', async () => {
  const market = await createLiveMarket(store, 3)
  for (let count = 0; count < 80; count += 1) market.commit()
  await market.flush()
  const { chain, engine } = market
  const { record, firstTradeAtS } = engine.pairState(0)
  const toS = engine.head()!.timeS
  const length = storedLength(1)
  const query = { chain, length, fromS: 0, toS, limit: 201 }
  const klines = await readKlines(store, { pair: record.address }, query)
  const filled = fillKlines(klines, {
    buckets: length.buckets,
    fromS: 0,
    toS,
    limit: 200,
    firstTradeAtS,
  })
  expect(filled.length).toBe(
    Math.min(200, (klineStartS(toS, 60) - klineStartS(firstTradeAtS, 60)) / 60 + 1),
  )
  for (const [at, kline] of filled.entries()) {
    const stored = klines.find(({ startS }) => startS === kline.startS)
    const before = filled[at - 1]
    if (before !== undefined) expect(kline.startS).toBe(before.startS + 60)
    if (stored !== undefined) expect(kline).toEqual(stored)
    else if (before !== undefined)
      expect(kline.usd).toEqual({
        open: before.usd.close,
        high: before.usd.close,
        low: before.usd.close,
        close: before.usd.close,
      })
  }
})

test('behavior: positions of many wallets, except those with too many swaps', async () => {
  const market = await createLiveMarket(store, 6)
  for (let count = 0; count < 120; count += 1) market.commit()
  await market.flush()
  const { chain, engine } = market
  const wallets = [...Array(14).keys()].map((number) => `wallet-${number}`)
  const swapCounts = wallets.map(
    (wallet) => market.swaps().filter(({ event }) => event.swap.wallet === wallet).length,
  )
  const swapsMax = [...swapCounts].sort((a, b) => a - b)[7]!
  const blockMax = Number.MAX_SAFE_INTEGER
  const quoteIds = quoteIdsOf(chain)
  for (let tokenId = 0; tokenId < 4; tokenId += 1) {
    const query = { chainId: chain.storeId, tokenId, wallets, quoteIds, blockMax, swapsMax }
    const positions = await store.loadTokenPositions({
      ...query,
      wallets: [...wallets, ...wallets],
    })
    expect([...positions.keys()]).toEqual(wallets.filter((_, at) => swapCounts[at]! <= swapsMax))
    const pairOf = (pairId: number) => engine.pairState(pairId).record
    expect(positions).toEqual(tokenPositionsOf(market.swaps(), pairOf, query))
  }
  const none = { chainId: chain.storeId, tokenId: 0, wallets: [], quoteIds, blockMax, swapsMax }
  expect((await store.loadTokenPositions(none)).size).toBe(0)
})

test('behavior: volumes of wallets are the sums of their newest swaps', async () => {
  const market = await createLiveMarket(store, 6)
  for (let count = 0; count < 120; count += 1) market.commit()
  await market.flush()
  const { chain, engine } = market
  const wallets = [...Array(14).keys()].map((number) => `wallet-${number}`)
  const pairOf = (pairId: number) => engine.pairState(pairId).record
  const swaps = market.swaps()
  const ofChain = { chainId: chain.storeId, quoteIds: quoteIdsOf(chain), wallets }
  const byPlace = (a: WalletVolume, b: WalletVolume) =>
    a.wallet === b.wallet ? a.tokenId - b.tokenId : a.wallet < b.wallet ? -1 : 1
  for (const [fromS, swapsMax] of [
    ...[
      [0, 1_000],
      [0, 3],
    ],
    [swaps[Math.floor(swaps.length / 2)]!.timeS, 1_000],
  ] as const) {
    const query = { ...ofChain, fromS, swapsMax }
    const volumes = await store.loadWalletVolumes({ ...query, wallets: [...wallets, ...wallets] })
    const expected = walletVolumesOf(swaps, pairOf, query)
    expect(expected.length).toBeGreaterThan(5)
    expect(volumes.toSorted(byPlace)).toEqual(expected.toSorted(byPlace))
    const sums = volumes.map(({ boughtUsdE8, soldUsdE8 }) => boughtUsdE8 + soldUsdE8)
    expect(sums).toEqual(sums.toSorted((a, b) => Number(b - a)))
  }
  expect(await store.loadWalletVolumes({ ...ofChain, wallets: [], fromS: 0, swapsMax: 9 })).toEqual(
    [],
  )
})

test('behavior: the ranking of wallets follows from their trades', async () => {
  const market = await createLiveMarket(store, 5)
  for (let count = 0; count < 120; count += 1) market.commit()
  await market.flush()
  const { chain, engine } = market
  const chainId = chain.storeId
  expect(await store.loadSmartWallets(chainId)).toBe(null)
  const quoteIds = quoteIdsOf(chain)
  const run = { chainId, quoteIds, sinceS: 0, madeAtS: 9, countMax: 100, timeMsMax: 60_000 }
  await store.refreshSmartWallets(run)
  const ranking = (await store.loadSmartWallets(chainId))!
  const pairOf = (pairId: number) => engine.pairState(pairId).record
  const expected = [...Array(12).keys()].flatMap((number) => {
    const wallet = `wallet-${number}`
    const query = {
      chainId,
      wallet,
      tokenId: null,
      quoteIds,
      blockMax: Number.MAX_SAFE_INTEGER,
      limit: 2_000,
    }
    const positions = positionsOf(market.swaps(), pairOf, query)
    const profitUsdE8 = positions.reduce((sum, one) => sum + one.profitUsdE8, 0n)
    if (profitUsdE8 <= 0n) return []
    return {
      wallet,
      profitUsdE8,
      buyCount: positions.reduce((sum, one) => sum + one.buyCount, 0),
      wonCount: positions.filter((one) => one.profitUsdE8 > 0n).length,
      tokenCount: positions.filter((one) => one.soldCostUsdE8 > 0n).length,
    }
  })
  expected.sort((a, b) => (a.profitUsdE8 < b.profitUsdE8 ? 1 : -1))
  expect(expected.length).toBeGreaterThan(0)
  expect(ranking).toMatchObject({ sinceS: 0, madeAtS: 9, wallets: expected })
  for (const { profitCounts, tokenCount } of ranking.wallets)
    expect(profitCounts.reduce((sum, count) => sum + count, 0)).toBe(tokenCount)
  await store.refreshSmartWallets({ ...run, sinceS: 2 ** 40, madeAtS: 10 })
  expect(await store.loadSmartWallets(chainId)).toEqual({
    sinceS: 2 ** 40,
    madeAtS: 10,
    wallets: [],
  })
})
