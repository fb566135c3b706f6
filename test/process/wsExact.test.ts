// Five minutes of a market, mined as fast as possible: every swap and every liquidity change of the
// chain is pushed once, in order, with the amounts of its log. Also tests misbehaving peers and
// connections.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type ChainTrade,
  type ChainTrades,
  pickTradeFields,
  readChainTrades,
} from '../support/chainTrades.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { testApiKey, writeChainConfig } from '../support/program.ts'
import { type Frame, openProgramSocket, type ProgramSocket } from '../support/programSocket.ts'
import { createRandom } from '../support/random.ts'
import { maskedFrame, openRawWebSocket } from '../support/rawWebSocket.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.ts'
import { createTradeReader } from '../support/tradeReader.ts'
import { until } from '../support/until.ts'

const marketBlocks = 300
const pingBits = 0x89
let node: DevNode
let dataDir = ''
let service: Service
const sockets: ProgramSocket[] = []
let proxy: TcpProxy | undefined

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'ws exact' })
  for (let block = 0; block < 5; block += 1) await node.mineMarket()
  dataDir = await createDataDir()
  // Pings are sent early. The peers are in this process, which may be busy and answer late.
  const limits = { ping_ms: 500 }
  service = await startService(dataDir, await writeChainConfig(dataDir, node, { limits }))
  await untilStored(dataDir, node)
})

afterEach(async () => {
  for (const { webSocket } of sockets.splice(0)) webSocket.terminate()
  await proxy?.close()
  proxy = undefined
})

afterAll(async () => {
  await service?.kill()
  await node?.stop()
  await removeDataDir(dataDir)
})

async function open(): Promise<ProgramSocket> {
  const socket = await openProgramSocket(service.ready.address, { key: testApiKey })
  sockets.push(socket)
  return socket
}

/** Subscriptions of one socket by id. */
type Followed = { topic: 'tx' | 'multi_tx' | 'liq'; address: string }

/** Subscribes to everything, and to each new pair and token as soon as it is known. */
async function followAll() {
  const socket = await open()
  const byId = new Map<number, Followed>()
  const seen = new Set<string>()

  function follow(topic: Followed['topic'], address: string, since: string | null): void {
    if (seen.has(`${topic} ${address}`)) return
    seen.add(`${topic} ${address}`)
    const id = 10 + byId.size
    byId.set(id, { topic, address })
    const options = since === null ? [] : [{ since }]
    const params = [topic, address, 'local', ...options]
    socket.send({ jsonrpc: '2.0', method: 'subscribe', params, id })
  }

  function followPair(frame: Frame): void {
    const { pair, snapshot: isKnown = false } = frame.result
    // Pushes of the block that created the pair are already sent, so the subscription starts at the
    // beginning of that block.
    const since = isKnown ? null : frame.cursor!.replace(/-\d+$/, '-0')
    follow('tx', pair.pair, since)
    follow('liq', pair.pair, since)
    for (const token of [pair.token0_address, pair.token1_address]) follow('multi_tx', token, since)
  }

  socket.webSocket.on('message', (data) => {
    const frame = JSON.parse(data.toString()) as Frame
    if (frame.result?.topic === 'new_pairs') followPair(frame)
  })
  await socket.subscribe(['new_pairs', 'local', { snapshot: true, heartbeat: 1 }], 1)
  // Earlier subscriptions are active when this call is answered.
  await socket.call('ping', [], 2)
  return { socket, byId }
}

function expectedOf(trades: ChainTrades, { topic, address }: Followed, from: number): ChainTrade[] {
  const all = topic === 'liq' ? trades.liquidity : trades.swaps
  return all.filter(
    ({ pair, tokens, tx }) =>
      tx.block_number > from &&
      (topic === 'multi_tx' ? tokens.includes(address) : pair === address),
  )
}

test('default: pushes of all pairs and tokens over five minutes equal the logs', async () => {
  const from = (await node.readHead()).number
  const { socket, byId } = await followAll()
  await until('the earlier pairs are followed', () => byId.size > 30)
  await socket.subscribe(['trades', 'local'], 4)
  await socket.subscribe(['trades', { chain: 'local', min_usd: 500 }, { revisions: true }], 5)
  // Subscriptions sent before this call are active when it is answered; a block before that would
  // be missed.
  await socket.call('ping', [], 3)
  for (let block = 0; block < marketBlocks; block += 1) await node.mineMarket()
  const trades = await readChainTrades(node.rpcUrl, node.profile)
  const isAtHead = ({ result }: Frame) =>
    result?.topic === 'heartbeat' && result.head_block >= trades.head.number
  await socket.find('the service is at the head', isAtHead)
  const swapCount = trades.swaps.filter(({ tx }) => tx.block_number > from).length
  const expectedById = [...byId].map(([id, item]) => [id, expectedOf(trades, item, from)] as const)
  // On a timeout the comparison below shows what is missing.
  await until('every trade is pushed', () =>
    expectedById.every(([id, expected]) => socket.pushes(id).length >= expected.length),
  ).catch(() => undefined)

  const followed = new Set([...byId.values()].map(({ topic, address }) => `${topic} ${address}`))
  for (const pair of trades.pairs) expect(followed).toContain(`tx ${pair}`)
  for (const token of trades.tokens) expect(followed).toContain(`multi_tx ${token}`)
  let count = { tx: 0, liq: 0, multi_tx: 0 }
  for (const [id, expected] of expectedById) {
    const { topic } = byId.get(id)!
    const pushes = socket.pushes(id).map(({ result }) => result.tx)
    expect(pushes.map((tx) => tx.id)).toEqual(expected.map(({ tx }) => tx.id))
    for (const [at, trade] of expected.entries())
      expect(pickTradeFields(pushes[at], trade)).toEqual(trade.tx)
    count = { ...count, [topic]: count[topic] + expected.length }
  }
  expect(count.tx).toBe(swapCount)
  // All swaps of the chain in one subscription, and the large ones in another.
  const swaps = trades.swaps.filter(({ tx }) => tx.block_number > from)
  await until('every trade of the chain is pushed', () => socket.pushes(4).length >= swaps.length)
  const ofChain = socket.pushes(4).map(({ result }) => result.tx)
  expect(ofChain.map((tx) => tx.id)).toEqual(swaps.map(({ tx }) => tx.id))
  const large = ofChain.filter((tx) => Number(tx.amount_usd) >= 500).map((tx) => tx.id)
  expect(large.length).toBeGreaterThan(10)
  expect(socket.pushes(5).map(({ result }) => result.tx.id)).toEqual(large)
  expect(count.tx).toBeGreaterThan(500)
  expect(count.liq).toBeGreaterThan(10)
  expect(count.multi_tx).toBe(2 * count.tx)
  // Pairs created meanwhile whose creation block has a trade.
  const born = trades.swaps.filter(
    ({ pair, tx }, at) =>
      tx.block_number > from && trades.swaps.findIndex((other) => other.pair === pair) === at,
  )
  expect(born.length).toBeGreaterThan(5)
})

function busiestPair({ swaps }: ChainTrades): string {
  const counts = new Map<string, number>()
  for (const { pair } of swaps) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]![0]
}

test('behavior: a connection that is cut repeatedly loses nothing', async () => {
  proxy = await startTcpProxy(service.ready.address)
  const before = await readChainTrades(node.rpcUrl, node.profile)
  const { wrappedToken } = node.profile.native
  const { hash, number } = before.head
  const since = `${number}-${hash.slice(2, 10)}-2147483647`
  const items = [
    { topic: 'multi_tx', address: wrappedToken } as const,
    { topic: 'tx', address: busiestPair(before) } as const,
  ]
  const reader = createTradeReader({ items, key: testApiKey, since })
  const random = createRandom(4)
  for (let cuts = 0; cuts < 8; cuts += 1) {
    await reader.connect(proxy.address)
    sockets.push(reader.socket())
    const wanted = reader.tracks[0]!.log.length + Math.floor(random() * 6)
    while (reader.tracks[0]!.log.length < wanted) {
      await node.mineMarket()
      await service.chainHealth()
    }
    proxy.cut()
    await reader.socket().closed
    await node.mineMarket()
  }
  await reader.connect(proxy.address)
  sockets.push(reader.socket())
  let trades = await readChainTrades(node.rpcUrl, node.profile)
  while (items.some((item) => expectedOf(trades, item, number).length === 0)) {
    await node.mineMarket()
    trades = await readChainTrades(node.rpcUrl, node.profile)
  }
  await until('the head is reached', () => reader.headNumber() >= trades.head.number)
  for (const track of reader.tracks) {
    const expected = expectedOf(trades, track, number)
    await until('all came', () => track.log.length >= expected.length).catch(() => undefined)
    expect(track.log.map(({ id }) => id)).toEqual(expected.map(({ tx }) => tx.id))
  }
})

async function countSockets(): Promise<number> {
  const text = await (await service.get('/metrics')).text()
  return Number(/^chaintape_ws_sockets (\d+)$/m.exec(text)?.[1])
}

test('behavior: a peer that disappeared silently is disconnected', async () => {
  proxy = await startTcpProxy(service.ready.address)
  const other = await open()
  const peer = await openProgramSocket(proxy.address, { key: testApiKey })
  sockets.push(peer)
  await peer.subscribe(['multi_tx', node.profile.native.wrappedToken, 'local'], 1)
  await until('both are counted', async () => (await countSockets()) === 2)
  proxy.freeze()
  await until('one is left', async () => (await countSockets()) === 1)
  // The other socket answers pings and stays open.
  expect((await other.call('ping', [], 1)).result).toBe('pong')
})

const portOf = () => Number(new URL(service.ready.address).port)
const path = `/ws?api_key=${testApiKey}`

test('error: messages over 1 MiB close with 1009, binary ones with 1003; a message just below is answered', async () => {
  const socket = await open()
  const ping = JSON.stringify({ jsonrpc: '2.0', method: 'ping', id: 1 })
  socket.send(ping.padEnd(1_048_576, ' '))
  expect((await socket.find('an answer', ({ id }) => id === 1)).result).toBe('pong')
  socket.send(ping.padEnd(1_048_577, ' '))
  expect((await socket.closed).code).toBe(1009)
  const binary = await open()
  binary.webSocket.send(Buffer.from(ping), { binary: true })
  expect(await binary.closed).toEqual({ code: 1003, reason: 'Messages must be text' })
})

test('behavior: fragments form one message, and an unmasked frame ends the connection', async () => {
  const raw = await openRawWebSocket(portOf(), { path })
  const text = JSON.stringify({ jsonrpc: '2.0', method: 'ping', id: 5 })
  raw.send(maskedFrame(0x01, text.slice(0, 10)))
  raw.send(maskedFrame(pingBits, 'between'))
  raw.send(maskedFrame(0x80, text.slice(10)))
  const next = async () => {
    // Skips pings that the service sends in between.
    for (;;) {
      const frame = await raw.next()
      if (frame?.bits !== pingBits) return frame
    }
  }
  const pong = await next()
  expect([pong!.bits, pong!.payload.toString()]).toEqual([0x8a, 'between'])
  expect(JSON.parse((await next())!.payload.toString())).toMatchObject({
    id: 5,
    result: 'pong',
  })
  raw.send(Buffer.from([0x81, 0x02, 0x7b, 0x7d]))
  const close = await next()
  expect([close!.bits, close!.payload.readUInt16BE(0)]).toEqual([0x88, 1002])
  raw.socket.destroy()
  const other = await open()
  expect((await other.call('ping', [], 1)).result).toBe('pong')
})
