// A client that resumes from its cursors while the service is killed, stopped and restarted, and
// while the chain has reorgs: in the end it has the trades of the chain's own logs, in order and
// once.
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchPadAbi } from '../../packages/devnet/src/contracts/abi.ts'
import {
  type ChainTrade,
  type ChainTrades,
  pickTradeFields,
  readChainTrades,
} from '../support/chainTrades.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { newPairPushes, readPools } from '../support/newPairs.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { testApiKey, writeChainConfig } from '../support/program.ts'
import {
  isMainPairSwitch,
  openProgramSocket,
  type ProgramSocket,
} from '../support/programSocket.ts'
import { createRandom } from '../support/random.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import {
  createTradeReader,
  type TradeItem,
  type TradeReader,
  type TradeTrack,
} from '../support/tradeReader.ts'
import { until } from '../support/until.ts'

const seed = 5
const killsMax = 3
// Enough trades that the kills happen among them.
const tradesMin = 100
const hoursS = 3 * 3_600
// Launches come every 45 s of the chain's time, graduations every 100 s.
const launchStepS = 15
// Below the finality depth.
const reorgBlocks = 8
const endIndex = 2_147_483_647

let node: DevNode
let dataDir = ''
let config = ''
let service: Service
const readers: TradeReader[] = []

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'ws resume' })
  await mine(20)
  dataDir = await createDataDir()
  config = await writeChainConfig(dataDir, node)
  await start()
  await untilStored(dataDir, node)
})

afterEach(() => {
  for (const reader of readers.splice(0)) reader.socket()?.webSocket.terminate()
})

afterAll(async () => {
  await service?.kill()
  await node?.stop()
  await removeDataDir(dataDir)
})

async function mine(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) await node.mineMarket()
}

/** Mines up to a block with a trade of one of these items. */
async function mineTrade(items: readonly TradeItem[]): Promise<void> {
  for (let hasTrade = false; !hasTrade; ) {
    await node.mineMarket()
    const trades = await readTrades()
    hasTrade = items.some((item) => expectedOf(trades, item, trades.head.number - 1).length > 0)
  }
}

async function start(): Promise<void> {
  service = await startService(dataDir, config)
}

const readTrades = () => readChainTrades(node.rpcUrl, node.profile)

async function headCursor(): Promise<{ number: number; cursor: string }> {
  const { number, hash } = await node.readHead()
  return { number, cursor: `${number}-${hash.slice(2, 10)}-${endIndex}` }
}

/** Subscriptions to the busiest pairs, their liquidity, and a token that all of them trade. */
function itemsOf({ swaps, liquidity }: ChainTrades): TradeItem[] {
  const pairs = [...new Set(swaps.map(({ pair }) => pair).reverse())].slice(0, 6)
  const filled = [...new Set(liquidity.map(({ pair }) => pair).reverse())].slice(0, 3)
  return [
    { topic: 'multi_tx', address: node.profile.native.wrappedToken },
    ...pairs.map((address): TradeItem => ({ topic: 'tx', address })),
    ...filled.map((address): TradeItem => ({ topic: 'liq', address })),
  ]
}

/**
 * Waits until the node's head is applied and all its pushes have arrived: answers come after
 * earlier pushes.
 */
async function untilPushed(socket: ProgramSocket): Promise<void> {
  const { number } = await node.readHead()
  const isApplied = async () => (await service.chainHealth()).head_block === number
  await until(`block ${number} is applied`, isApplied)
  await socket.call('ping', [], 99)
}

function createReader(options: Partial<Parameters<typeof createTradeReader>[0]>): TradeReader {
  const reader = createTradeReader({ items: [], key: testApiKey, ...options })
  readers.push(reader)
  return reader
}

function expectedOf(
  trades: ChainTrades,
  { topic, address }: TradeItem,
  after: number,
): ChainTrade[] {
  const all = topic === 'liq' ? trades.liquidity : trades.swaps
  return all.filter(
    ({ pair, tokens, tx }) =>
      tx.block_number > after &&
      (topic === 'multi_tx' ? tokens.includes(address) : pair === address),
  )
}

/** Waits for the chain's head and compares every track with the logs. */
async function expectChain(reader: TradeReader, after: number): Promise<void> {
  const trades = await readTrades()
  await until('the head is reached', () => reader.headNumber() >= trades.head.number)
  for (const track of reader.tracks) {
    const expected = expectedOf(trades, track, Math.min(after, track.rewoundTo))
    const ids = expected.map(({ tx }) => tx.id)
    const isThere = () => track.trades.map(({ tx }) => tx.id).join() === ids.join()
    // Ignores a timeout: the expectation below shows what is missing.
    await until('all is there', isThere).catch(() => undefined)
    const { topic, errors } = track
    expect({ topic, errors, ids: track.trades.map(({ tx }) => tx.id) }).toMatchObject({
      topic,
      ids,
    })
    for (const [at, trade] of expected.entries())
      expect(pickTradeFields(track.trades[at]!.tx, trade)).toEqual(trade.tx)
  }
}

/** Checks that nothing was pushed twice. */
function expectOnce({ log }: TradeTrack): void {
  const ids = log.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
}

test('default: resumes across kills at random moments, a stop, and hours offline', async () => {
  const random = createRandom(seed)
  const { number, cursor } = await headCursor()
  const reader = createReader({ items: itemsOf(await readTrades()), since: cursor })
  await reader.connect(service.ready.address)
  for (let kills = 0; kills < killsMax; kills += 1) {
    // Mines a block with swaps now and then until enough pushes arrived: blocks are still on their
    // way at that moment.
    const wanted = reader.tracks[0]!.log.length + 1 + Math.floor(random() * 20)
    while (reader.tracks[0]!.log.length < wanted) await mine(1)
    await mine(Math.floor(random() * 3))
    await service.kill()
    await reader.socket().closed
    await mine(2 + Math.floor(random() * 4))
    await start()
    await reader.connect(service.ready.address)
  }
  while (reader.tracks[0]!.log.length < tradesMin) await mine(1)
  await mine(3)
  await expectChain(reader, number)
  reader.tracks.forEach(expectOnce)

  const closed = reader.socket().closed
  expect(await service.stop()).toBe(0)
  expect(await closed).toEqual({ code: 4000, reason: 'Server is shutting down' })
  await mine(3)
  // After a start the service has the newest 64 blocks in memory, at most those of a quarter of an
  // hour.
  await node.mineMarket((await node.readHead()).timestampS + hoursS)
  await mine(40)
  await start()
  await reader.connect(service.ready.address)
  await expectChain(reader, number)
  reader.tracks.forEach(expectOnce)
  expect(reader.tracks.flatMap(({ errors }) => errors)).toEqual([])

  // A client that was away all the time reads everything from its first cursor.
  await untilStored(dataDir, node)
  const late = createReader({
    items: reader.tracks.map(({ topic, address }) => ({ topic, address })),
    since: cursor,
  })
  await late.connect(service.ready.address)
  await expectChain(late, number)
  late.tracks.forEach(expectOnce)
})

test('behavior: new pairs from a cursor that is no longer in memory, and after a restart', async () => {
  const { number, cursor } = await headCursor()
  const open = () => openProgramSocket(service.ready.address, { key: testApiKey })
  const since = (place: string | null | undefined) => ['new_pairs', 'local', { since: place }]
  const live = await open()
  await live.subscribe(since(cursor), 1)
  const count = (event: string) =>
    newPairPushes(live, 1).filter((news) => news.event === event).length
  while (count('graduated') < 2 || count('created') < 6)
    await node.mineMarket((await node.readHead()).timestampS + launchStepS)
  await node.mineMarket((await node.readHead()).timestampS + hoursS)
  // More blocks than are in memory after a start.
  await mine(70)
  await untilStored(dataDir, node)
  await untilPushed(live)
  const pushed = newPairPushes(live, 1)
  const pools = await readPools(node, number)
  const pairsOf = (event: string) =>
    pushed.filter((news) => news.event === event).map(({ pair }) => pair)
  expect(pairsOf('graduated')).toEqual(pools.graduated)
  expect(
    pairsOf('created')
      .filter((pair) => pools.created.includes(pair))
      .toSorted(),
  ).toEqual(pools.created.toSorted())
  expect(new Set(pairsOf('created')).size).toBe(pairsOf('created').length)

  const expectResumed = async () => {
    const late = await open()
    const places = [cursor, ...pushed.map((news) => news.cursor)]
    for (const [at, place] of places.entries()) {
      await late.subscribe(since(place), at + 1)
      const wanted = pushed.slice(at)
      await until('all came', () => newPairPushes(late, at + 1).length >= wanted.length)
      expect(newPairPushes(late, at + 1)).toEqual(wanted)
    }
    await late.close()
  }
  await expectResumed()
  await live.close()
  await service.kill()
  await start()
  await expectResumed()
})

test('behavior: reorgs, with and without revisions', async () => {
  const items = itemsOf(await readTrades())
  const { number, cursor } = await headCursor()
  const revised = createReader({ items, since: cursor, isRevised: true })
  const plain = createReader({ items, since: cursor })
  for (const reader of [revised, plain]) await reader.connect(service.ready.address)
  for (const depth of [1, 5]) {
    await mine(5)
    await mineTrade(items)
    await expectChain(revised, number)
    const before = revised.tracks.map(({ log }) => log.length)
    const newest = (await node.readHead()).number - depth
    const gone = revised.tracks.map(({ trades }) =>
      trades.filter(({ tx }) => Number(tx.block_number) > newest).map(({ tx }) => tx.id),
    )
    expect(gone.flat().length).toBeGreaterThan(0)
    await node.reorg(depth)
    await mine(depth + 1)
    await expectChain(revised, number)
    // Retractions: newest first, every replaced trade, and nothing else.
    for (const [at, { log }] of revised.tracks.entries()) {
      const taken = log.slice(before[at]).filter(({ isRetracted }) => isRetracted)
      expect(taken.map(({ id }) => id)).toEqual(gone[at]!.toReversed())
    }
  }
  await until(
    'the reader without revisions is at the head too',
    () => plain.headNumber() >= revised.headNumber(),
  )
  expect(plain.tracks.flatMap(({ log }) => log).filter(({ isRetracted }) => isRetracted)).toEqual(
    [],
  )
})

test('behavior: klines after a reorg are those of the new branch, with and without revisions', async () => {
  const pairs = new Set((await readTrades()).swaps.map(({ pair }) => pair))
  const items = [...pairs].map((address): TradeItem => ({ topic: 'tx', address }))
  const open = () => openProgramSocket(service.ready.address, { key: testApiKey })
  const [revised, plain] = [await open(), await open()]
  for (const interval of ['s1', 'k1', 'k60'])
    for (const pair of pairs) {
      const item = ['kline', pair, interval, 'local']
      await revised.subscribe([...item, { revisions: true }], 1)
      await plain.subscribe(item, 1)
    }
  await mine(reorgBlocks)
  await mineTrade(items)
  for (const socket of [revised, plain]) await untilPushed(socket)
  await node.reorg(reorgBlocks)
  await mine(reorgBlocks)
  await mineTrade(items)
  for (const socket of [revised, plain]) await untilPushed(socket)

  const klinesOf = (socket: ProgramSocket) =>
    socket.pushes(1).filter((frame) => !isMainPairSwitch(frame))
  for (const socket of [revised, plain]) {
    // The newest kline pushed for each pair, interval and start.
    const newest = new Map<string, Record<string, string>>()
    for (const { result } of klinesOf(socket)) {
      const key = `${result.id} ${result.interval} ${result.kline.usd.time}`
      if (result.retracted === true) newest.delete(key)
      else newest.set(key, result.kline.usd)
    }
    expect(newest.size).toBeGreaterThan(10)
    for (const [key, { time, open, high, low, close, volume }] of newest) {
      const [pair, interval] = key.split(' ')
      const query = `interval=${interval}&from_time=${time}&to_time=${time}`
      const answer = await service.get(`/v2/klines/pair/${pair}?${query}`)
      const { points } = (await answer.json()) as { points: object[] }
      // A client without revisions is not notified when a bucket becomes empty.
      if (socket === plain && points.length === 0) continue
      expect({ key, points }).toEqual({ key, points: [{ open, high, low, close, volume, time }] })
    }
  }
  const revisions = klinesOf(revised).map(({ result }) => result.revision)
  expect(Math.max(...revisions)).toBeGreaterThan(0)
  for (const socket of [revised, plain]) await socket.close()
})

/** The token that was launched last: its curve is still open. */
async function newestLaunch(): Promise<Address> {
  const { launchPad } = node.deployment
  const read = (data: Hex) =>
    node.request('eth_call', [{ to: launchPad, data }, 'latest']) as Promise<Hex>
  const count = BigInt(
    await read(encodeFunctionData({ abi: launchPadAbi, functionName: 'tokenCount' })),
  )
  const args = [count - 1n] as const
  const word = await read(encodeFunctionData({ abi: launchPadAbi, functionName: 'tokens', args }))
  return `0x${word.slice(-40)}`
}

test('behavior: a swap that a new block includes unchanged is pushed once, and again with revisions', async () => {
  const { deployment, wallets } = node
  const token = await newestLaunch()
  const buy = () =>
    node.send({
      from: wallets.traders[3]!,
      to: deployment.launchPad,
      data: encodeFunctionData({ abi: launchPadAbi, functionName: 'buy', args: [token, 0n] }),
      value: 10n ** 15n,
      gas: 5_000_000,
    })
  await node.mine()
  const { cursor } = await headCursor()
  const items: TradeItem[] = [{ topic: 'multi_tx', address: token }]
  const revised = createReader({ items, since: cursor, isRevised: true })
  const plain = createReader({ items, since: cursor })
  for (const reader of [revised, plain]) await reader.connect(service.ready.address)
  const hash = await buy()
  await node.mine()
  await until(
    'both have it',
    () => plain.tracks[0]!.log.length + revised.tracks[0]!.log.length === 2,
  )
  await node.reorg(1)
  expect(await buy()).toBe(hash)
  await node.mine()
  await node.mine()
  const { number } = await node.readHead()
  await until('the head is reached', () =>
    [plain, revised].every((reader) => reader.headNumber() >= number),
  )
  expect(plain.tracks[0]!.log.map(({ isRetracted }) => isRetracted)).toEqual([false])
  expect(revised.tracks[0]!.log.map(({ isRetracted }) => isRetracted)).toEqual([false, true, false])
})

test('behavior: a cursor of a replaced branch, while it is in memory and after a restart', async () => {
  const items = itemsOf(await readTrades())
  const { number, cursor } = await headCursor()
  const held = createReader({ items, since: cursor })
  const later = createReader({ items, since: cursor })
  for (const reader of [held, later]) await reader.connect(service.ready.address)
  await mine(7)
  // Makes sure that the replaced branch contains a pushed trade.
  await mineTrade(items)
  for (const reader of [held, later]) {
    await expectChain(reader, number)
    reader.socket().webSocket.terminate()
  }
  await node.reorg(4)
  await mine(6)
  await untilStored(dataDir, node)
  await held.connect(service.ready.address)
  await expectChain(held, number)
  const taken = held.tracks.flatMap(({ log }) => log.filter(({ isRetracted }) => isRetracted))
  expect(taken.length).toBeGreaterThan(0)

  await service.kill()
  await start()
  await later.connect(service.ready.address)
  await expectChain(later, number)
  expect(new Set(later.tracks.flatMap(({ errors }) => errors))).toEqual(
    new Set(['cursor_orphaned']),
  )

  const socket = await openProgramSocket(service.ready.address, { key: testApiKey })
  const far = `${number + 100_000}-00000000-1`
  await socket.subscribe(['tx', items[1]!.address, 'local', { since: far }], 7)
  const fault = await socket.find('the fault', ({ id, error }) => id === 7 && error !== undefined)
  expect(fault.error.data).toMatchObject({ code: 'cursor_unknown', param: 'since' })
  await socket.close()
})
