// Reads of the store against the same question answered from the rows that were written.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { LiquidityEvent, SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import { disprovedBlockReason } from '../../packages/server/src/model/trust/doubt.ts'
import { backfillNameOf, isServedName } from '../../packages/server/src/store/adoptChain.ts'
import { claimChains } from '../../packages/server/src/store/chainLease.ts'
import { exportedTableOf } from '../../packages/server/src/store/export/exportedTables.ts'
import { type ExportQuery, exportRows } from '../../packages/server/src/store/export/exportRows.ts'
import { inspectDatabase } from '../../packages/server/src/store/inspectDatabase.ts'
import type { Store } from '../../packages/server/src/store/openStore.ts'
import type { TradesQuery } from '../../packages/server/src/store/read/history.ts'
import type { TestConnection } from '../support/postgres.ts'
import {
  createWriteSequence,
  klineEvent,
  liquidityEvent,
  pairRecord,
  startS,
  supplyEvent,
  swapEvent,
  tokenRecord,
} from '../support/storeWrites.ts'
import { useStore } from '../support/useStore.ts'

let connection: TestConnection
let store: Store
let chainId: number

const openWriter = useStore((opened) => {
  ;({ connection, store, chainId } = opened)
})

type Trade = { blockNumber: number; timeS: number; event: SwapEvent | LiquidityEvent }

const amms = ['uniswapv2', 'uniswapv2', 'other']
const pairs = [0, 1, 2].map((id) => ({
  ...pairRecord(id),
  token1Id: id === 2 ? 2 : 1,
  amm: amms[id]!,
  isTrusted: id !== 1,
}))

/** Trades of three pairs in 12 blocks, of which two are empty. Returns them in chain order. */
async function writeTrades(): Promise<Trade[]> {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  const tokens = [0, 1, 2].map((id) => ({ type: 'token', token: tokenRecord(id) }) as const)
  const records = pairs.map((pair) => ({ type: 'pair', pair }) as const)
  const trades: Trade[] = []
  for (let number = 0; number < 12; number += 1) {
    const timeS = startS + Math.floor(number / 2) * 10
    const swaps = (number % 6 === 5 ? [] : [0, 1, 2, 3]).map((at) => {
      const place = number * 4 + at
      const wallet = `wallet${place % 3}`
      const [in0, in1] = place % 2 === 0 ? [-100n, 7n] : [50n, -3n]
      const swap = swapEvent(at + 1, place % 3, { wallet, amount0: in0, amount1: in1 })
      return { ...swap, amountUsdE8: place * 1_000 }
    })
    const changes = number % 4 === 1 ? [liquidityEvent(90, number % 3)] : []
    const events = [...(number === 0 ? [...tokens, ...records] : []), ...swaps, ...changes]
    trades.push(...[...swaps, ...changes].map((event) => ({ blockNumber: number, timeS, event })))
    writer.append(tape.commit({ timeS, events }))
  }
  await writer.flush()
  await writer.close()
  return trades
}

const originOf = (event: SwapEvent | LiquidityEvent) =>
  event.type === 'swap' ? event.swap : event.liquidity

function wantedOf(trades: readonly Trade[], query: TradesQuery): Trade[] {
  const { table, pairIds, filter = {}, after, toNumber, limit, order } = query
  const found = trades.filter(({ blockNumber, timeS, event }) => {
    const { index, pairId, wallet } = originOf(event)
    const pair = pairs[pairId]!
    return (
      event.type === (table === 'swaps' ? 'swap' : 'liquidity') &&
      (pairIds === null || pairIds.includes(pairId)) &&
      (blockNumber > after.number || (blockNumber === after.number && index > after.index)) &&
      blockNumber <= toNumber &&
      timeS >= after.timeS &&
      (filter.wallet ?? wallet) === wallet &&
      (filter.venue ?? pair.amm) === pair.amm &&
      (filter.isTrusted !== true || pair.isTrusted) &&
      event.amountUsdE8 >= (filter.usdE8Min ?? 0)
    )
  })
  return (order === 'asc' ? found : found.reverse()).slice(0, limit)
}

test('trades are filtered by pair, wallet, value, venue and trust, in both orders', async () => {
  const trades = await writeTrades()
  const start = { number: -1, index: 0, timeS: 0 }
  const filters: NonNullable<TradesQuery['filter']>[] = [
    {},
    { wallet: 'wallet1' },
    { isTrusted: true },
    { usdE8Min: 20_000 },
    { venue: 'other' },
    { wallet: 'wallet2', isTrusted: true, usdE8Min: 9_000, venue: 'uniswapv2' },
  ]
  for (const table of ['swaps', 'liquidity'] as const)
    for (const pairIds of [null, [0, 2], []])
      for (const filter of filters)
        for (const order of ['asc', 'desc'] as const)
          for (const [after, toNumber, limit] of [
            [start, 99, 1_000],
            [{ number: 4, index: 2, timeS: startS }, 8, 5],
          ] as const) {
            const query = { chainId, table, pairIds, filter, after, toNumber, limit, order }
            const wanted = wantedOf(trades, query)
            const loaded = await store.loadTrades(query)
            expect(loaded, JSON.stringify(query)).toEqual(pairIds?.length === 0 ? [] : wanted)
          }
})

test('swaps of a wallet come newest first, behind a place, of trusted pools or of one transaction', async () => {
  const trades = (await writeTrades()).filter(({ event }) => event.type === 'swap')
  const query = {
    ...{ chainId, wallet: 'wallet1', fromS: 0, toS: 2 ** 40, tokenId: null, txHash: null },
    ...{ before: null, blockMax: 99, limit: 1_000 },
  }
  const wallet1 = trades.filter(({ event }) => originOf(event).wallet === 'wallet1').reverse()
  // Wallets trade in the pair of their number.
  expect(await store.loadWalletSwaps(query)).toEqual([])
  const of = (wallet: string) => ({ ...query, wallet })
  const newest = trades.filter(({ event }) => originOf(event).wallet === 'wallet2').reverse()
  expect(await store.loadWalletSwaps(of('wallet2'))).toEqual(newest)
  expect(await store.loadWalletSwaps({ ...of('wallet2'), limit: 3 })).toEqual(newest.slice(0, 3))
  expect(await store.loadWalletSwaps({ ...of('wallet2'), blockMax: 6 })).toEqual(
    newest.filter(({ blockNumber }) => blockNumber <= 6),
  )
  const [, second] = newest
  const before = {
    timeS: second!.timeS,
    block: second!.blockNumber,
    index: originOf(second!.event).index,
  }
  expect(await store.loadWalletSwaps({ ...of('wallet2'), before })).toEqual(newest.slice(2))
  const span = { fromS: startS + 10, toS: startS + 20 }
  expect(await store.loadWalletSwaps({ ...of('wallet2'), ...span })).toEqual(
    newest.filter(({ timeS }) => timeS >= span.fromS && timeS <= span.toS),
  )
  expect(await store.loadWalletSwaps({ ...of('wallet2'), tokenId: 1 })).toEqual([])
  expect(await store.loadWalletSwaps({ ...of('wallet2'), tokenId: 2 })).toEqual(newest)
  const { txHash } = originOf(wallet1[0]!.event)
  expect(await store.loadWalletSwaps({ ...query, txHash })).toEqual(
    wallet1.filter(({ event }) => originOf(event).txHash === txHash),
  )
  expect(await store.loadHistoryStart(chainId)).toBe(startS)
  expect(await store.loadHistoryStart(chainId + 1)).toBe(null)
})

test('an audit reads the rows of its blocks, and marks those that are wrong', async () => {
  const trades = await writeTrades()
  const range = { storeName: 'local', chainId, from: 3, to: 7 }
  const rows = (await store.loadAuditRows(range))!
  const rowsOf = (type: string) =>
    trades
      .filter(
        ({ blockNumber, event }) => event.type === type && blockNumber >= 3 && blockNumber <= 7,
      )
      .map(({ blockNumber, event }) => {
        const { index, pairId, txHash, wallet, amount0, amount1 } = originOf(event)
        return { number: blockNumber, index, pairId, txHash, wallet, amount0, amount1 }
      })
  expect(rows.swaps).toEqual(rowsOf('swap'))
  expect(rows.liquidity).toEqual(rowsOf('liquidity').map((row) => ({ ...row, kind: 'add' })))
  expect([...rows.hashes]).toEqual([3, 4, 5, 6, 7].map((number) => [number, `hash${number}`]))
  expect(rows.cursor).toMatchObject({ seq: 12, number: 11, hash: 'hash11', firstNumber: 0 })
  expect(await store.loadAuditRows({ ...range, storeName: 'other' })).toBe(null)

  await store.markUntrue(chainId, [
    { number: 4, hash: 'hash4' },
    { number: 6, hash: 'hash6' },
  ])
  const marked = { reason: disprovedBlockReason, digest: null }
  expect(await store.loadMarkedBlocks(chainId, 10)).toEqual([
    { number: 4, hash: 'hash4', ...marked },
    { number: 6, hash: 'hash6', ...marked },
  ])
  expect(await store.loadMarkedBlocks(chainId, 1)).toMatchObject([{ number: 6 }])
})

test('a sample of holders has large ones of complete tokens, and the block they are of', async () => {
  const writer = await openWriter()
  const tokens = [0, 1, 2].map((id) => ({ type: 'token', token: tokenRecord(id) }) as const)
  const supplies = [0, 1, 2].map((id) => {
    const event = supplyEvent(id, 100n)
    return { ...event, supply: { ...event.supply, isComplete: id !== 1 } }
  })
  const balances = [0, 1, 2].flatMap((tokenId) =>
    [1n, 2n, 3n].map((after) => ({ tokenId, wallet: `w${after}`, before: 0n, after })),
  )
  writer.append(createWriteSequence(chainId).commit({ events: [...tokens, ...supplies], balances }))
  await writer.flush()
  const query = { chainId, fromTokenId: 0, tokensMax: 9, holdersMax: 9 }
  const whole = await store.loadHoldingSample(query)
  expect(whole).toMatchObject({ number: 0, hash: 'hash0', tokenCount: 3 })
  const tokensIn = (sample: typeof whole) => [...new Set(sample.holdings.map(({ token }) => token))]
  expect(tokensIn(whole)).toEqual(['token0', 'token2'])
  expect(whole.holdings).toHaveLength(6)
  expect(whole.holdings).toContainEqual({ token: 'token2', wallet: 'w3', balance: 3n })
  expect(tokensIn(await store.loadHoldingSample({ ...query, fromTokenId: 1 }))).toEqual(['token2'])
  const first = await store.loadHoldingSample({ ...query, tokensMax: 1, holdersMax: 2 })
  expect([tokensIn(first), first.holdings.length]).toEqual([['token0'], 2])
  await writer.close()
})

test('the log knows which of its blocks are canonical, and which were reverted', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId, { number: 5 })
  for (let block = 0; block < 4; block += 1) writer.append(tape.commit())
  writer.append(tape.revert())
  writer.append(tape.revert())
  writer.append(tape.commit({ fork: 'b' }))
  await writer.flush()
  expect(await store.findFirstNumber(chainId)).toBe(5)
  expect(await store.findFirstNumber(chainId + 1)).toBe(null)
  expect(await store.findCommitSeq(chainId, 'hash7')).toBe(3)
  expect(await store.findCommitSeq(chainId, 'hash7b')).toBe(7)
  expect(await store.findCommitSeq(chainId, 'none')).toBe(null)
  const hashes = (refs: readonly { hash: string }[]) => refs.map(({ hash }) => hash)
  expect(hashes(await store.findLogBlocks(chainId, [5, 7, 8, 99]))).toEqual(['hash5', 'hash7b'])
  expect(await store.findLogBlocks(chainId, [])).toEqual([])
  const range = { after: 5, toNumber: 8, limit: 9 }
  expect(hashes(await store.loadLogBlocks(chainId, range))).toEqual(['hash7b', 'hash6'])
  expect(hashes(await store.loadLogBlocks(chainId, { ...range, limit: 1 }))).toEqual(['hash7b'])
  expect(hashes(await store.loadReverted(chainId, 99, 9))).toEqual(['hash8', 'hash7'])
  expect(hashes(await store.loadReverted(chainId, 7, 9))).toEqual(['hash7'])
  expect(hashes(await store.loadReverted(chainId, 99, 1))).toEqual(['hash8'])
  const placesOf = (places: readonly { seq: number; type: string }[]) =>
    places.map(({ seq, type }) => `${seq} ${type}`)
  expect(placesOf(await store.findReverted(chainId, 1))).toEqual([
    ...['3 commit', '4 commit', '5 revert', '6 revert'],
  ])
  expect(placesOf(await store.findReverted(chainId, 6))).toEqual(['6 revert'])
  const places = []
  for await (const place of store.readLogPlaces(chainId, 6)) places.push(place)
  expect(places).toEqual([
    { seq: 6, type: 'revert', number: 7, hash: 'hash7' },
    { seq: 7, type: 'commit', number: 7, hash: 'hash7b' },
  ])
  // Without a snapshot the whole log is needed, else what is not in the oldest one and not
  // acknowledged.
  expect(await store.loadSpentSeq(chainId)).toBe(0)
  await store.saveSnapshot({ chainId, seq: 6, number: 6, hash: 'hash6', format: 1 }, [])
  expect(await store.loadSpentSeq(chainId)).toBe(6)
  const log = store.openLog({ chainId, chain: 'local' })
  await log.acknowledge('gateway', 4)
  await log.acknowledge('gateway', 3)
  expect(await store.loadSpentSeq(chainId)).toBe(4)
  expect(await log.acknowledged()).toEqual([{ consumer: 'gateway', seq: 4 }])
  expect(await log.lastSeq()).toBe(7)
  expect(await store.newestSnapshotSeq(chainId)).toBe(6)
  await writer.close()
})

test('risk reports: the newest of each token, the newest so many, and those since a read', async () => {
  const report = (token: string, blockNumber: number, text = '') => ({
    ...{ token, blockNumber },
    report: `${token} at ${blockNumber}${text}`,
  })
  const all = async (sinceS: number | null = null) =>
    (await store.loadRiskReports(chainId, sinceS)).reports.map((one) => one.report).sort()
  await store.saveRiskReports(chainId, [report('a', 1), report('b', 5), report('a', 3)], 10)
  expect(await all()).toEqual(['a at 3', 'b at 5'])
  await store.saveRiskReports(chainId, [report('b', 4), report('a', 3, ' again')], 10)
  expect(await all()).toEqual(['a at 3 again', 'b at 5'])
  const { readAtS } = await store.loadRiskReports(chainId, null)
  expect(Math.abs(readAtS - Date.now() / 1_000)).toBeLessThan(60)
  expect(await all(readAtS)).toHaveLength(2)
  expect(await all(readAtS + 3_600)).toEqual([])
  await store.saveRiskReports(chainId, [report('c', 9)], 2)
  expect(await all()).toEqual(['a at 3 again', 'c at 9'])
  expect((await store.loadRiskReports(chainId + 1, null)).reports).toEqual([])
})

test('chains are listed with their ends, but not those behind or replaced; a backfill takes a chain’s place', async () => {
  expect(await store.listChains()).toEqual([])
  const behindId = await store.ensureChain(backfillNameOf('local'))
  expect(await store.ensureChain('local')).toBe(chainId)
  const write = async (id: number, name: string, blocks: number) => {
    const writer = await store.openWriter({ chainId: id, chain: name })
    const tape = createWriteSequence(id, { number: 3 })
    for (let block = 0; block < blocks; block += 1) writer.append(tape.commit({ isFinal: true }))
    writer.append(tape.finalize(4))
    await writer.flush()
    await writer.close()
  }
  await write(chainId, 'local', 3)
  const listed = {
    ...{ name: 'local', block: 5, timeS: startS + 3, finalizedBlock: 4 },
    ...{ firstNumber: 3, swapsFromS: null },
  }
  expect(await store.listChains()).toEqual([listed])
  await write(behindId, backfillNameOf('local'), 2)
  expect(await store.listChains()).toEqual([listed])
  expect(await store.readChainIds()).toEqual(new Set([chainId, behindId]))
  expect(await store.findChainNames('local+')).toEqual([backfillNameOf('local')])

  expect(await store.adoptChain({ storeName: 'local', hash: 'hash5' })).toBe(false)
  expect(await store.findChain('local')).toBe(chainId)
  expect(await store.adoptChain({ storeName: 'local' })).toBe(true)
  expect(await store.findChain('local')).toBe(behindId)
  const [replaced] = await store.findChainNames('local+replaced')
  expect(await store.findChain(replaced!)).toBe(chainId)
  expect([isServedName('local'), isServedName(replaced!)]).toEqual([true, false])
  expect(await store.listChains()).toMatchObject([{ name: 'local', block: 4 }])
  await expect(store.adoptChain({ storeName: 'local' })).rejects.toMatchObject({
    code: 'STORE_WRITER_LOCKED',
  })
})

test('a chain is claimed by one process, and by nobody while it is written', async () => {
  const chain = { chain: 'local', claim: 'local of here', storeName: 'local' }
  const other = { chain: 'other', claim: 'other of here', storeName: null, isOptional: true }
  const turns: string[] = []
  const first = await claimChains(connection, [chain, other], (name) => turns.push(name))
  expect([first.claims, turns]).toEqual([
    ['local of here', 'other of here'],
    ['local', 'other'],
  ])
  const writtenId = await store.ensureChain('written')
  const writer = await store.openWriter({ chainId: writtenId, chain: 'written' })
  const optional = { ...chain, isOptional: true }
  const written = { ...optional, claim: 'written of here', storeName: 'written' }
  // Each is waited for, as its process may be about to end.
  const [second, third] = await Promise.all([
    claimChains(connection, [optional, { ...other, claim: 'else' }]),
    claimChains(connection, [written]),
  ])
  expect([second.claims, third.claims]).toEqual([['else'], []])
  await Promise.all([first.release(), second.release(), third.release(), writer.close()])
})

test('exported rows are of a pair, a time and a kind, in order, with amounts in whole units', async () => {
  const writer = await openWriter()
  const tape = createWriteSequence(chainId)
  const tokens = [0, 1].map(
    (id) => ({ type: 'token', token: tokenRecord(id, { decimals: 2 + id }) }) as const,
  )
  const records = pairs.slice(0, 2).map((pair) => ({ type: 'pair', pair }) as const)
  const swaps = [0, 1].map((pairId) =>
    swapEvent(pairId + 1, pairId, { amount0: -1_234n, amount1: 50n }),
  )
  const supply = supplyEvent(0, 12_300n)
  const klines = [0, 1, 4].map((interval) => klineEvent(0, interval, startS))
  writer.append(tape.commit({ events: [...tokens, ...records, ...swaps, supply, ...klines] }))
  writer.append(
    tape.commit({ timeS: startS + 60, events: [swapEvent(1, 0), liquidityEvent(2, 1)] }),
  )
  await writer.flush()
  await writer.close()
  const all: ExportQuery = {
    ...{ what: 'swaps', chain: undefined, pair: undefined, interval: 0 },
    ...{ fromS: 0, toS: 2 ** 40 },
  }
  const exported = async (query: Partial<ExportQuery>) => {
    const asked = { ...all, ...query }
    const { columns } = exportedTableOf(asked.what, asked.interval)
    const rows: Record<string, unknown>[] = []
    const { signal } = new AbortController()
    for await (const batch of exportRows(connection, asked, signal))
      for (const row of batch)
        rows.push(Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))
    return rows
  }
  const placeOf = ({ block, log_index, pair }: Record<string, unknown>) =>
    `${block}/${log_index} ${pair}`
  expect((await exported({})).map(placeOf)).toEqual(['0/1 pair0', '0/2 pair1', '1/1 pair0'])
  expect((await exported({ pair: 'pair0' })).map(placeOf)).toEqual(['0/1 pair0', '1/1 pair0'])
  expect((await exported({ fromS: startS + 60 })).map(placeOf)).toEqual(['1/1 pair0'])
  expect((await exported({ toS: startS + 59 })).map(placeOf)).toEqual(['0/1 pair0', '0/2 pair1'])
  expect((await exported({}))[0]).toMatchObject({
    ...{ amount0: '-12.34', amount1: '0.05', amount_usd: '1.23456789', is_buy: false },
    ...{ token0: 'token0', token1: 'token1', wallet: '0xwallet', time_s: startS + 1 },
  })
  expect((await exported({ what: 'liquidity' })).map(placeOf)).toEqual(['1/2 pair1'])
  for (const [interval, seconds] of [
    [0, 1],
    [1, 60],
    [4, undefined],
  ] as const) {
    const rows = await exported({ what: 'klines', interval })
    expect(rows).toMatchObject([{ pair: 'pair0', start_s: startS, trades: 4 }])
    if (seconds !== undefined) expect(rows[0]!.interval_s).toBe(seconds)
  }
  expect(await exported({ what: 'pairs' })).toMatchObject([
    { pair: 'pair0', amm: 'uniswapv2', is_trusted: true, fee_ppm: 3_000, symbol1: 'T1' },
    { pair: 'pair1', is_trusted: false },
  ])
  expect(await exported({ what: 'tokens' })).toMatchObject([
    { token: 'token0', decimals: 2, total_supply: '123', holders: 4 },
    { token: 'token1', decimals: 3, total_supply: null },
  ])
  await expect(exported({ pair: 'none' })).rejects.toThrow('The chain has no pair none.')
  await expect(exported({ chain: 'none' })).rejects.toThrow('No chain "none" is stored.')
  await store.ensureChain('second')
  await expect(exported({})).rejects.toThrow('Of several stored chains')
  expect(await exported({ chain: 'local', pair: 'pair1' })).toHaveLength(1)
  await store.ensureChain('second@genesis')
})

test('a database is inspected without a change', async () => {
  const writer = await openWriter()
  const facts = await inspectDatabase(connection, () => Date.now() - 5_000)
  expect(facts).toMatchObject({
    ...{ writers: 1, waitingLocks: 0, isReplica: false, canCreate: true },
    schema: { found: facts.schema.known },
  })
  expect(facts.schema.known).toBeGreaterThan(0)
  expect(facts.sizeBytes).toBeGreaterThan(1_000_000)
  expect(facts.connections.used).toBeGreaterThan(1)
  expect(facts.connections.max).toBeGreaterThan(facts.connections.used)
  expect(facts.clockAheadMs).toBeGreaterThan(4_000)
  expect(facts.clockAheadMs).toBeLessThan(6_000)
  await writer.close()
})

test('a rotated key shares its account and ends the old one; an expired key does not rotate', async () => {
  const hashOf = (text: string) => createHash('sha256').update(text).digest()
  const key = { hash: hashOf('one'), name: 'mine', plan: 'pro', createdAtS: 10, expiresAtS: 500 }
  const { id } = await store.insertKey(key)
  const rotation = { id, hash: hashOf('two'), nowS: 100, graceS: 50 }
  expect(await store.rotateKey({ ...rotation, nowS: 500 })).toBe(null)
  const rotated = (await store.rotateKey(rotation))!
  expect(rotated).toMatchObject({
    ...{ accountId: id, name: 'mine', plan: 'pro', createdAtS: 100, expiresAtS: 500 },
    origin: 'created',
  })
  expect(await store.listKeys()).toMatchObject([
    { id, expiresAtS: 150 },
    { id: rotated.id, expiresAtS: 500 },
  ])
  // A grace ends no later than the key itself.
  await store.rotateKey({ id: rotated.id, hash: hashOf('three'), nowS: 490, graceS: 50 })
  expect((await store.findKeysById([rotated.id]))[0]).toMatchObject({ expiresAtS: 500 })
  expect(await store.expireKey({ id, nowS: 150, atS: 160 })).toBe(null)
  expect(await store.expireKey({ id, nowS: 149, atS: 149 })).toMatchObject({ expiresAtS: 149 })
})

test('sockets of a key are counted over processes that write, and given back with their usage', async () => {
  const { id: keyId } = await store.insertKey({
    ...{ hash: createHash('sha256').update('key').digest(), name: '', plan: 'pro' },
    ...{ createdAtS: 1, expiresAtS: null },
  })
  const sessions = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
  const write = (at: number, sequence: number, count = 0) =>
    store.addUsage({
      ...{ session: sessions[at]!, sequence, counts: [] },
      closedSockets: count === 0 ? [] : [{ keyId, count }],
    })
  const take = (at: number) => store.takeSocket({ session: sessions[at]!, keyId, socketsMax: 3 })
  expect(await write(0, 1)).toBe(0)
  expect(await write(1, 1)).toBe(1)
  expect([await take(0), await take(1), await take(0), await take(1)]).toEqual([
    ...[true, true, true, false],
  ])
  await write(0, 2, 2)
  // A batch that is repeated gives nothing back again.
  await write(0, 2, 2)
  expect([await take(1), await take(1), await take(1)]).toEqual([true, true, false])
  await store.dropUsageSessions(3_600)
  expect(await write(0, 3)).toBe(1)
})
