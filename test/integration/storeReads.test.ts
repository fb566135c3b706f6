import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AppError } from '../../packages/server/src/lib/errors.ts'
import { blockTimeOf } from '../../packages/server/src/model/block.ts'
import type { BalanceChange } from '../../packages/server/src/model/finishedBlock.ts'
import { encodeEndedKlines } from '../../packages/server/src/model/klines/endedKlines.ts'
import type { LiquidityEvent, SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import type { Store } from '../../packages/server/src/store/openStore.ts'
import { type TestConnection, withClient } from '../support/postgres.ts'
import {
  createWriteSequence,
  klineEvent,
  liquidityEvent,
  startS,
  supplyEvent,
  swapEvent,
  tokenRecord,
} from '../support/storeWrites.ts'
import { until } from '../support/until.ts'
import { useStore } from '../support/useStore.ts'

let connection: TestConnection
let store: Store
let chainId: number

const openWriter = useStore((opened) => {
  ;({ connection, store, chainId } = opened)
})
const range = { fromS: 0, toS: 2 ** 40, limit: 1_000 }

const double = fc.double()
const maybeDouble = fc.option(double, { nil: null })
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const int256 = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
const integer = fc
  .oneof(
    fc.maxSafeNat(),
    fc.double({ noNaN: true }).map(Math.trunc),
    // Values that are not exact, or that an engine never produces: they must not stop the writer.
    fc.constantFrom(2 ** 53, -(2 ** 53), 1e23, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  )
  .map((n) => n + 0)
const word = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replaceAll('\0', ''))
const quote = fc.record({
  price0Usd: maybeDouble,
  price1Usd: maybeDouble,
  price0Native: maybeDouble,
  price1Native: maybeDouble,
  liquidityUsd: double,
  liquidityNative: double,
})
/** Reserves of a pool whose reserves are unknown. */
const noReserves = { reserve0: 0n, reserve1: 0n }
const unknownWorth = { liquidityUsd: null, liquidityNative: null }
const origin = {
  txHash: word,
  wallet: word,
  sender: word,
  reserve0: uint256,
  reserve1: uint256,
  priceRaw: double,
  pairId: fc.constant(0),
}
const swap = fc
  .record({
    type: fc.constant('swap' as const),
    swap: fc.record({
      type: fc.constant('swap' as const),
      index: fc.constant(0),
      ...origin,
      to: word,
      amount0: int256,
      amount1: int256,
      holding0: fc.option(uint256, { nil: null }),
      holding1: fc.option(uint256, { nil: null }),
      native: fc.option(uint256, { nil: null }),
      accountFlags: fc.nat(63),
    }),
    quote,
    amountUsdE8: integer,
    amountNativeRaw: uint256,
    isBuy: fc.boolean(),
  })
  .map((event): SwapEvent => event)
const liquidity = fc
  .record({
    type: fc.constant('liquidity' as const),
    liquidity: fc.record({
      type: fc.constant('liquidity' as const),
      kind: fc.constantFrom('add', 'remove', 'collect', 'create'),
      index: fc.constant(0),
      ...origin,
      amount0: uint256,
      amount1: uint256,
    }),
    quote,
    amountUsdE8: integer,
    amountNativeRaw: uint256,
  })
  .map((event): LiquidityEvent => event)
const ohlc = fc.record({ open: double, high: double, low: double, close: double })
const kline = fc.record({
  startS: fc.constant(0),
  usd: ohlc,
  native: ohlc,
  // As wide as the sums in the engine.
  volumeUsdE8: fc.bigInt({ min: 0n, max: (1n << 96n) - 1n }),
  volumeNativeRaw: fc.bigInt({ min: 0n, max: (1n << 144n) - 1n }),
  count: fc.maxSafeNat(),
})

test('behavior: any swap, liquidity change and kline is read as written', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  await fc.assert(
    fc.asyncProperty(
      fc.array(swap, { minLength: 1, maxLength: 30 }),
      fc.array(liquidity, { maxLength: 10 }),
      fc.array(kline, { maxLength: 9 }),
      fc.option(fc.nat(999), { nil: undefined }),
      async (swaps, changes, klines, ms) => {
        const swapEvents = swaps.map((event, index) => ({
          ...event,
          swap: { ...event.swap, index, ...(index % 3 === 1 && noReserves) },
          quote: { ...event.quote, ...(index % 3 === 1 && unknownWorth) },
        }))
        const liquidityEvents = changes.map((event, index) => ({
          ...event,
          liquidity: { ...event.liquidity, index: index + 100, ...(index % 3 === 1 && noReserves) },
          quote: { ...event.quote, ...(index % 3 === 1 && unknownWorth) },
        }))
        const timeS = (tape.head()?.timeS ?? startS) + 1_000
        const ended = klines.map((item, index) => ({
          pairId: 0,
          interval: index % 3,
          kline: { ...item, startS: timeS + index },
        }))
        const klinesEvent = { type: 'endedKlines' as const, ...encodeEndedKlines(ended) }
        const events = [...swapEvents, ...liquidityEvents, klinesEvent]
        const timeMs = ms === undefined ? undefined : timeS * 1_000 + ms
        writer.append(tape.commit({ timeS, timeMs, events }))
        await writer.flush()

        const at = { blockNumber: tape.head()!.number, ...blockTimeOf({ timeS, timeMs }) }
        const query = { chainId, pairId: 0, fromS: timeS, toS: timeS, limit: 100 }
        const loaded = await store.loadSwaps({ ...query, order: 'asc' })
        expect(loaded).toEqual(swapEvents.map((event) => ({ ...at, event })))
        const loadedLiquidity = await store.loadLiquidity({ ...query, order: 'asc' })
        expect(loadedLiquidity).toEqual(liquidityEvents.map((event) => ({ ...at, event })))
        for (const interval of [0, 1, 2])
          expect(await store.loadKlines({ ...query, toS: timeS + 100, interval })).toEqual(
            ended.filter((item) => item.interval === interval).map(({ kline: k }) => k),
          )
      },
    ),
    { numRuns: 25 },
  )
})

test('behavior: any token, supply and balance is read as written', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  let id = 0
  await fc.assert(
    fc.asyncProperty(
      word,
      word,
      uint256,
      uint256,
      word,
      async (symbol, name, total, balance, who) => {
        const token = tokenRecord(id++, { symbol, name })
        const supplied = supplyEvent(token.id, total)
        const wallet = `w${who}`
        const change: BalanceChange = { tokenId: token.id, wallet, before: 0n, after: balance }
        const events = [{ type: 'token', token }, supplied] as const
        writer.append(tape.commit({ events, balances: [change] }))
        await writer.flush()
        expect(await store.findTokens(chainId, [token.address])).toEqual([token])
        expect(await store.loadTokens(chainId, [token.id])).toEqual([token])
        expect(await store.loadSupplies(chainId, [token.id])).toEqual([supplied.supply])
        const keys = [
          { tokenId: token.id, wallet: `${wallet}?` },
          { tokenId: token.id, wallet },
        ]
        expect(await store.loadBalances(chainId, keys)).toEqual([0n, balance])
      },
    ),
    { numRuns: 25 },
  )
})

test('behavior: characters that PostgreSQL cannot store are replaced', async () => {
  const writer = await openWriter()
  const token = tokenRecord(0, { symbol: 'a\0b', name: 'half \ud800 pair' })
  writer.append(createWriteSequence(chainId).commit({ events: [{ type: 'token', token }] }))
  await writer.flush()
  expect(await store.findTokens(chainId, ['token0'])).toMatchObject([
    { symbol: 'a\uFFFDb', name: 'half \uFFFD pair' },
  ])
})

test('behavior: history is read in order, by range and limit', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  for (let block = 0; block < 10; block++) {
    const timeS = startS + block * 43_200
    const events = [
      swapEvent(1, 0),
      swapEvent(2, 0),
      swapEvent(3, 1),
      klineEvent(0, 4, timeS),
      klineEvent(0, 5, timeS),
      liquidityEvent(9, 0),
    ]
    writer.append(tape.commit({ timeS, events }))
  }
  await writer.flush()
  const placeOf = (rows: { blockNumber: number; event: SwapEvent }[]) =>
    rows.map(({ blockNumber, event }) => `${blockNumber}/${event.swap.index}`)
  const query = { chainId, pairId: 0, ...range }
  expect(placeOf(await store.loadSwaps({ ...query, order: 'desc', limit: 3 }))).toEqual([
    '9/2',
    '9/1',
    '8/2',
  ])
  const middle = { fromS: startS + 43_200, toS: startS + 2 * 43_200 }
  expect(placeOf(await store.loadSwaps({ ...query, ...middle, order: 'asc' }))).toEqual([
    '1/1',
    '1/2',
    '2/1',
    '2/2',
  ])
  expect(await store.loadLiquidity({ ...query, order: 'asc' })).toHaveLength(10)
  const klines = await store.loadKlines({ ...query, interval: 4, limit: 2 })
  expect(klines.map((item) => item.startS)).toEqual([8, 9].map((block) => startS + block * 43_200))
  expect(await store.loadSwaps({ ...query, pairId: 77, order: 'asc' })).toEqual([])
})

test('behavior: the log is read in pages, and its tail knows which blocks are canonical', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  for (let block = 0; block < 600; block++) writer.append(tape.commit())
  writer.append(tape.revert())
  writer.append(tape.revert())
  writer.append(tape.commit({ fork: 'b' }))
  writer.append(tape.revert())
  writer.append(tape.commit({ fork: 'b' }))
  writer.append(tape.finalize(500))
  await writer.flush()

  const seqs: number[] = []
  let last = ''
  for await (const { seq, bytes } of store.readLog(chainId, 10)) {
    seqs.push(seq)
    last = Buffer.from(bytes).toString()
  }
  expect(seqs).toEqual([...Array(597).keys()].map((index) => index + 10))
  expect(last).toBe('finalize')
  const tail = await store.readLogTail(chainId, 3)
  expect(tail.map(({ ref }) => ref.hash)).toEqual(['hash596', 'hash597', 'hash598b'])
  expect(Buffer.from(tail[2]!.undo!).toString()).toBe('undo hash598b')
  expect(tail[2]!.ref).toEqual(tape.head())
  expect(await store.readLogTail(chainId, 10_000)).toHaveLength(599)
})

test('behavior: top holders are exact while the threshold of large balances moves', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  const balances = new Map<string, bigint>()
  const set = (entries: readonly [string, bigint][]) => {
    const changes = entries.map(([wallet, after]) => {
      const before = balances.get(wallet) ?? 0n
      balances.set(wallet, after)
      return { tokenId: 4, wallet, before, after }
    })
    writer.append(tape.commit({ balances: changes }))
    return writer.flush()
  }
  const expected = (limit: number) =>
    [...balances]
      .filter(([, balance]) => balance > 0n)
      .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1))
      .slice(0, limit)
      .map(([wallet, balance]) => ({ wallet, balance }))
  const largeCount = () =>
    withClient(connection, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        'SELECT count(*) AS count FROM balances WHERE is_large',
      )
      return rows[0]!.count
    })
  const name = (index: number) => `w${index}`

  await set([[name(0), 5n]])
  expect((await store.topHolders(chainId, 4, 100)).holders).toEqual(expected(100))
  await set([...Array(5_000).keys()].map((index) => [name(index), BigInt(index * index)]))
  expect((await store.topHolders(chainId, 4, 100)).holders).toEqual(expected(100))
  await until('the threshold rises', async () => (await largeCount()) <= 400)
  expect((await store.topHolders(chainId, 4, 100)).holders).toEqual(expected(100))

  // Most large holders sell, so that few remain above the threshold of large balances.
  await set([...Array(390).keys()].map((index) => [name(4_999 - index), 1n]))
  expect((await store.topHolders(chainId, 4, 100)).holders).toEqual(expected(100))
  await set([[name(1), 7n]])
  await until('the threshold falls', async () => (await largeCount()) >= 399)
  expect((await store.topHolders(chainId, 4, 100)).holders).toEqual(expected(100))

  // Thousands of equal balances: no threshold separates them.
  await set([...Array(3_000).keys()].map((index) => [`equal${index}`, 10n ** 9n]))
  await set([...Array(300).keys()].map((index) => [`equal${index}`, 10n ** 9n + 1n]))
  expect((await store.topHolders(chainId, 4, 100)).holders).toEqual(expected(100))
  expect((await store.topHolders(chainId, 5, 100)).holders).toEqual([])
})

test('behavior: the newest complete snapshot is loaded, old ones are deleted', async () => {
  const save = (seq: number, parts: readonly Uint8Array[], format = 1) =>
    store.saveSnapshot({ chainId, seq, number: seq * 2, hash: `h${seq}`, format }, parts)
  const bytesOf = async () => {
    const { value: snapshot } = await store.readSnapshots(chainId).next()
    if (snapshot === undefined) return null
    const parts: Uint8Array[] = []
    for await (const part of snapshot.chunks()) parts.push(part)
    const bytes = Buffer.concat(parts)
    expect(snapshot.sizeBytes).toBe(bytes.byteLength)
    return { seq: snapshot.seq, digest: createHash('sha256').update(bytes).digest('hex') }
  }
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  // Puts all snapshots into one day: otherwise a run at midnight would differ.
  await withClient(connection, (client) =>
    client.query(`ALTER TABLE snapshots ALTER created_at SET DEFAULT '2026-01-01T12:00:00Z'`),
  )
  expect(await bytesOf()).toBe(null)
  expect(await store.newestSnapshotSum(chainId)).toBe(null)
  const large = Buffer.alloc(3_500_000, 'state')
  await save(1, [Buffer.from('one')])
  await save(2, [Buffer.from('two')])
  const sum = await save(3, [large.subarray(0, 2_000_001), large.subarray(2_000_001)])
  expect(await bytesOf()).toEqual({ seq: 3, digest: digest(large) })
  expect(await store.newestSnapshotSum(chainId)).toEqual({
    ...{ seq: 3, number: 6, format: 1 },
    ...sum,
  })
  const other = Buffer.from(large)
  other[1] = 0
  expect((await save(3, [other])).digest).not.toBe(sum.digest)
  expect(await save(3, [large])).toEqual(sum)
  // The day's first snapshot is kept besides the newest two.
  const seqs = () =>
    withClient(connection, async (client) => {
      const { rows } = await client.query<{ seq: string }>('SELECT seq FROM snapshots ORDER BY seq')
      return rows.map(({ seq }) => Number(seq))
    })
  expect(await seqs()).toEqual([1, 2, 3])
  await save(4, [Buffer.from('four')])
  expect(await seqs()).toEqual([1, 3, 4])
  await withClient(connection, (client) =>
    client.query(`UPDATE snapshots SET created_at = created_at - interval '1 day' * (5 - seq)`),
  )
  await save(5, [Buffer.from('five')])
  await save(6, [Buffer.from('six')])
  expect(await seqs()).toEqual([4, 5, 6])
  expect(await store.newestSnapshotFormat(chainId)).toBe(1)
})

test('behavior: snapshots without a chunk are skipped, and a changed one is reported', async () => {
  const save = (seq: number, format: number) =>
    store.saveSnapshot({ chainId, seq, number: seq, hash: `h${seq}`, format }, [
      Buffer.from(`${seq}`),
    ])
  const found = async () => {
    const heads: [number, number, unknown][] = []
    for await (const { seq, format, chunks } of store.readSnapshots(chainId)) {
      const read = async () => {
        for await (const chunk of chunks()) expect(String(chunk)).toBe(`${seq}`)
      }
      const fault = await read().catch((error: AppError) => error.code)
      heads.push([seq, format, fault])
    }
    return heads
  }
  expect(await store.newestSnapshotFormat(chainId)).toBe(0)
  await save(1, 1)
  await save(2, 8)
  await save(3, 2)
  expect(await found()).toEqual([
    [3, 2, undefined],
    [2, 8, undefined],
    [1, 1, undefined],
  ])
  await withClient(connection, async (client) => {
    await client.query(`UPDATE snapshot_chunks SET bytes = 'x' WHERE seq = 3`)
    await client.query('DELETE FROM snapshot_chunks WHERE seq = 2')
  })
  expect(await found()).toEqual([
    [3, 2, 'STORE_CORRUPT'],
    [1, 1, undefined],
  ])
  expect(await store.newestSnapshotFormat(chainId)).toBe(8)
})

test('error: an interrupted snapshot is not stored', async () => {
  async function* broken() {
    yield Buffer.from('half')
    throw new Error('engine died')
  }
  const head = { chainId, seq: 1, number: 1, hash: '', format: 1 }
  await expect(store.saveSnapshot(head, broken())).rejects.toThrow('engine died')
  expect(await store.readSnapshots(chainId).next()).toMatchObject({ done: true })
})

test('behavior: keys are found by hash, listed and revoked, usage adds up', async () => {
  const hash = createHash('sha256').update('secret').digest()
  const key = { hash, name: 'mine', plan: 'pro', createdAtS: 10, expiresAtS: null }
  const inserted = await store.insertKey(key)
  expect(inserted).toEqual({
    ...key,
    id: 1,
    accountId: 1,
    origin: 'created',
    revokedAtS: null,
  })
  const hashes = [hash, createHash('sha256').update('other').digest()]
  expect(await store.findKeysByHash({ hashes, period: 0 })).toEqual([
    { ...inserted, creditsUsed: 0 },
  ])
  expect(await store.findKeysById([1, 2])).toEqual([inserted])
  expect(await store.revokeKey(1, 20)).toBe(true)
  expect(await store.revokeKey(1, 30)).toBe(false)
  expect(await store.listKeys()).toEqual([{ ...inserted, revokedAtS: 20 }])
  const used = { keyId: 1, day: 5, operation: 'a', requestCount: 2, failedCount: 1, cost: 10 }
  const count = { ...used, accountId: 1, period: 23_640 }
  const session = randomUUID()
  await store.addUsage({ session, sequence: 1, counts: [count, count] })
  const counts = [count, { ...count, day: 6 }, { ...count, operation: 'b' }]
  await store.addUsage({ session, sequence: 2, counts })
  await store.addUsage({ session, sequence: 2, counts })
  expect(await store.loadUsage({ accountId: 1, fromDay: 5, toDay: 6 })).toEqual([
    { ...used, requestCount: 6, failedCount: 3, cost: 30 },
    { ...used, operation: 'b' },
    { ...used, day: 6 },
  ])
  expect(await store.sumUsage({ fromDay: 5, toDay: 5 })).toEqual(
    new Map([[1, { requestCount: 8, cost: 40 }]]),
  )
  const query = { accountIds: [1, 2], period: 23_640 }
  expect(await store.loadCredits(query)).toEqual(new Map([[1, { cost: 50, requestCount: 10 }]]))
  const asked = { hashes: [hash, Buffer.alloc(32)], period: 23_640 }
  expect(await store.findKeysByHash(asked)).toEqual([
    { ...inserted, revokedAtS: 20, creditsUsed: 50 },
  ])
})
