// Every topic, field, type and acknowledgement of the WebSocket interface, on running markets of
// both local chains. Every frame is also checked against its schema in the AsyncAPI document.
import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { faultsOf, valuesAt } from '../conformance/faultsOf.ts'
import {
  type ContractTopic,
  contractIntervals,
  contractItems,
  contractParams,
  profileFields,
  pushEnvelope,
  switchRows,
  wsContract,
} from '../conformance/wsContract.ts'
import { buyOut } from '../support/buyOut.ts'
import { readDevnetProfile } from '../support/devnetProfile.ts'
import {
  expectDocumented as expectDocumentedBy,
  type MessageDocument,
  messageNameOf,
} from '../support/documentedFrames.ts'
import { createDataDir } from '../support/postgres.ts'
import { startPatientProgram } from '../support/program.ts'
import {
  type Frame,
  isAnswer,
  isMainPairSwitch,
  openProgramSocket,
  type ProgramSocket,
  type SocketOptions,
} from '../support/programSocket.ts'
import { until } from '../support/until.ts'

type Market = { chain: string; pair: string; token: string; platform: string; unknownPair: string }

const chains = ['local', 'localsol'] as const
type Chain = (typeof chains)[number]
/** The pairs and tokens are set once the chains are served. */
const markets: Record<Chain, Market> = {
  local: {
    chain: 'local',
    pair: '',
    token: '',
    platform: 'tape',
    unknownPair: `0x${'0f'.repeat(20)}`,
  },
  localsol: {
    chain: 'localsol',
    pair: '',
    token: '',
    platform: 'pump',
    unknownPair: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  },
}
const { unknownPair } = markets.local

let dataDir = ''
let program: Awaited<ReturnType<typeof startPatientProgram>> | undefined
let document: MessageDocument
const sockets: ProgramSocket[] = []
/** A socket that is subscribed to everything for the whole run. */
let watch: ProgramSocket
/**
 * A socket for klines: one socket can subscribe the intervals of a pair only once, so these have
 * their own.
 */
let klines: ProgramSocket

const intervalNames = Object.keys(contractIntervals)
const extraTopics = ['trending', 'new_pairs', 'trades', 'launches', 'holders', 'wallet', 'screener']
const watchedTopics = [...wsContract.map(({ topic }) => topic), ...extraTopics]
const watchedId = (topic: string, chain: Chain = 'local') =>
  1 + watchedTopics.indexOf(topic) + chains.indexOf(chain) * watchedTopics.length
const klineId = (interval: string, chain: Chain) =>
  101 + intervalNames.indexOf(interval) + chains.indexOf(chain) * intervalNames.length
const multiKlineId = (chain: Chain) => 200 + chains.indexOf(chain)
/** Topic that `watch` subscribed under an id. */
const watchedTopic = (id: number) => watchedTopics[(id - 1) % watchedTopics.length]!

beforeAll(async () => {
  dataDir = await createDataDir()
  const settings = {
    devnet: { history_s: 180, block_ms: 200, solana: true },
    log: { level: 'warn' },
  }
  program = await startPatientProgram(dataDir, settings)
  const { local } = markets
  local.pair = addressOf(program.ready.example_pair_id)
  local.token = (await get(`/v2/pairs/${local.pair}-local`)).target_token
  await findSolanaMarket()
  document = await get('/asyncapi.json', '')
  watch = await openProgramSocket(program.ready.address, { key: program.ready.api_key })
  klines = await openProgramSocket(program.ready.address, { key: program.ready.api_key })
  for (const chain of chains) await watchAll(chain)
})

async function watchAll(chain: Chain): Promise<void> {
  const { pair, token } = markets[chain]
  const idOf = (topic: string) => watchedId(topic, chain)
  for (const contract of wsContract) {
    const params = paramsOf(contract, chain)
    // Liquidity changes are rare, so the subscription starts with the newest one.
    if (contract.topic === 'liq') params.push({ snapshot: true })
    await watch.subscribe(params, idOf(contract.topic))
  }
  await watch.subscribe(['trending', chain], idOf('trending'))
  await watch.subscribe(['new_pairs', chain, { heartbeat: 1 }], idOf('new_pairs'))
  await watch.subscribe(['trades', { chain, min_usd: 1 }], idOf('trades'))
  await watch.subscribe(['launches', chain, { snapshot: true }], idOf('launches'))
  await watch.subscribe(['holders', token, chain], idOf('holders'))
  const filter = { chain, of: 'pairs', trusted: '1', sort: 'trades_1h', limit: 5 }
  await watch.subscribe(['screener', filter], idOf('screener'))
  const trade = await findWatched('a swap', 'trades', chain)
  const walletId = `${trade.result.tx.wallet_address}-${chain}`
  await watch.subscribe(['wallet', [walletId], { snapshot: true }], idOf('wallet'))
  for (const name of intervalNames)
    await klines.subscribe(['kline', pair, name, chain], klineId(name, chain))
  const items = intervalNames.map((name) => [pair, name, chain])
  await klines.subscribe(['multi_kline', ...items], multiKlineId(chain))
}

afterEach(() => {
  for (const { webSocket } of sockets.splice(0)) webSocket.terminate()
})

afterAll(async () => {
  watch?.webSocket.terminate()
  klines?.webSocket.terminate()
  program?.child.kill('SIGINT')
  await program?.ended
  await rm(dataDir, { recursive: true, force: true })
})

const addressOf = (id: string) => id.slice(0, id.lastIndexOf('-'))

// biome-ignore lint/suspicious/noExplicitAny: answers are what is tested
async function get(path: string, key = program!.ready.api_key): Promise<any> {
  const headers = key === '' ? {} : { 'X-API-KEY': key }
  const response = await fetch(`${program!.ready.address}${path}`, { headers })
  expect(response.status).toBe(200)
  return await response.json()
}

async function open(options: SocketOptions = {}): Promise<ProgramSocket> {
  const { address, api_key } = program!.ready
  const socket = await openProgramSocket(address, { key: api_key, ...options })
  sockets.push(socket)
  return socket
}

/** Checks every frame of a socket against the AsyncAPI document. */
function expectDocumented(socket: ProgramSocket, topicOf: (id: number) => string): void {
  expectDocumentedBy(document, socket, topicOf)
}

const paramsOf = (contract: ContractTopic, chain: Chain) => contractParams(contract, markets[chain])

/** Waits for a push of a topic that `watch` subscribed for a chain. */
const findWatched = (what: string, topic: string, chain: Chain) =>
  watch.find(what, ({ id, result }) => id === watchedId(topic, chain) && result.topic === topic)

/** The whirlpool in which SOL of the generated chain trades, once it has traded. */
async function findSolanaMarket(): Promise<void> {
  const { localsol } = markets
  await until('the second local chain has a market', async () => {
    const [main] = await get('/v2/tokens/main?chain=localsol')
    Object.assign(localsol, { pair: main?.main_pair ?? '', token: main?.token ?? '' })
    return localsol.pair !== ''
  })
}

test('behavior: added and removed liquidity on Solana is pushed as it happens', async () => {
  const { pair, chain } = markets.localsol
  const socket = await open()
  await socket.subscribe(['liq', pair, chain], 1)
  for (const type of ['addLiquidity', 'removeLiquidity', 'collectFee']) {
    const frame = await socket.find(type, ({ id, result }) => id === 1 && result.tx?.type === type)
    const { amount0, amount1, reserve0, reserve1 } = frame.result.tx
    expect(Number(amount0) + Number(amount1)).toBeGreaterThan(0)
    expect(Math.min(Number(reserve0), Number(reserve1))).toBeGreaterThan(0)
  }
  expectDocumented(socket, () => 'liq')
})

const contracts = chains.flatMap((chain) => wsContract.map((contract) => ({ ...contract, chain })))

describe.each(contracts)('$topic of $chain', ({ chain, ...contract }) => {
  test('default: acknowledgement, fields and types of real pushes', async () => {
    const id = watchedId(contract.topic, chain)
    const answer = await watch.find('the answer', (frame) => frame.id === id && isAnswer(frame))
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id,
      result: { status: 'ok', subscribed: contractItems(paramsOf(contract, chain)), rejected: [] },
    })
    const isPush = (frame: Frame) => !isAnswer(frame) && !isMainPairSwitch(frame)
    await watch.find('a push', (frame) => frame.id === id && isPush(frame))
    for (const frame of watch.pushes(id).filter(isPush)) {
      expect(faultsOf(frame, pushEnvelope)).toEqual([])
      expect([frame.jsonrpc, frame.result.topic]).toEqual(['2.0', contract.pushTopic])
      for (const { at, fields } of contract.rows) {
        const rows = valuesAt(frame.result, at)
        expect(rows.length).toBeGreaterThan(0)
        for (const row of rows) expect(faultsOf(row, fields)).toEqual([])
      }
      for (const { at, names } of contract.absent)
        for (const row of valuesAt(frame.result, at))
          for (const name of names) expect(row).not.toHaveProperty(name)
    }
  })

  test('behavior: the params of a subscription unsubscribe it, once', async () => {
    const socket = await open()
    const params = paramsOf(contract, chain)
    await socket.subscribe(params, 1)
    const answer = await socket.call('unsubscribe', params, 2)
    const unsubscribed = contractItems(params)
    expect(answer.result).toEqual({ status: 'ok', unsubscribed, rejected: [] })
    const count = socket.pushes(1).length
    const again = await socket.call('unsubscribe', params, 3)
    expect(again.error).toMatchObject({ code: -32602, data: { param: 'params' } })
    // Waits for a block with swaps, in which the unsubscribed topic must push nothing.
    await socket.subscribe(['multi_tx', markets[chain].token, chain], 4)
    await socket.find('a later swap', ({ id, result }) => id === 4 && result.topic === 'tx')
    expect(socket.pushes(1).length).toBe(count)
    expectDocumented(socket, (id) => (id === 4 ? 'multi_tx' : contract.topic))
  })

  test('error: params without a valid item', async () => {
    const socket = await open()
    const unknown = markets[chain].unknownPair
    for (const params of [
      [contract.topic],
      [contract.topic, 1],
      [contract.topic, 'nothing', chain],
      [contract.topic, [unknown, 'k2', chain]],
      [contract.topic, []],
      [contract.topic, unknown, 'k1', 'nowhere'],
    ]) {
      const { error } = await socket.subscribe(params)
      expect([params, error]).toMatchObject([params, { code: -32602, data: {} }])
      expect(error.message).toMatch(/^.{10,}\.$/)
      expect(error.data.param).toEqual(expect.any(String))
    }
    expect(socket.isClosed()).toBe(false)
    expectDocumented(socket, () => contract.topic)
  })
})

test.each(chains)('behavior: fields of a swap of %s agree with each other', async (chain) => {
  const { pair } = markets[chain]
  const [ofPair, ofToken] = [watchedId('tx', chain), watchedId('multi_tx', chain)]
  const answeredAt = (id: number) => watch.frames.findIndex((frame) => frame.id === id)
  // Frames from this index on come after both acknowledgements.
  const from = Math.max(answeredAt(ofPair), answeredAt(ofToken))
  const { result } = await watch.find(
    'a swap',
    (frame) => frame.id === ofPair && frame.result.tx && watch.frames.indexOf(frame) > from,
  )
  const { tx } = result
  expect(result.id).toBe(pair)
  expect(tx).toMatchObject({ pair_address: pair, chain, wallet_tag: null })
  expect(tx.id).toBe(`${tx.block_number}-${tx.tx_seq}`)
  expect(tx.tx_swap_type).toBe(tx.direction === 'buy' ? 0 : 1)
  expect(tx.direction === 'buy' ? tx.to_address : tx.from_address).toBe(tx.target_token)
  const profile = JSON.parse(tx.profile)
  expect(faultsOf(profile, profileFields)).toEqual([])
  expect([profile.token0Address, profile.token1Address].sort()).toEqual(
    [tx.from_address, tx.to_address].sort(),
  )
  const same = await watch.find(
    'the same of the token',
    (frame) => frame.id === ofToken && frame.result.tx?.id === tx.id,
  )
  const { profile: _profile, tx_seq: _seq, ...shared } = tx
  expect(same.result).toEqual({ ...result, tx: shared })
  // The native balance is known at the head only.
  await watch.find('a profile whose holdings are all known', (frame) => {
    const text = frame.id === ofPair ? frame.result.tx?.profile : undefined
    return text !== undefined && !text.includes('_known')
  })
})

test.each(chains)('args: every interval of %s, as pushes name it', async (chain) => {
  const { pair } = markets[chain]
  for (const [name, word] of Object.entries(contractIntervals)) {
    const { result } = await klines.find(
      `a kline ${name}`,
      (frame) => frame.id === klineId(name, chain) && frame.result.kline,
    )
    expect([name, result.interval, result.id]).toEqual([name, word, `${pair}-${chain}`])
    expect(result.kline.usd.time).toBe(result.kline.eth.time)
    const lengthS = name === 's1' ? 1 : Number(word) * 60
    // Weeks begin on Monday, and 1970 began on a Thursday.
    expect((result.kline.usd.time - (name === 'k10080' ? 4 * 86_400 : 0)) % lengthS).toBe(0)
    await klines.find(
      `the same of multi_kline ${name}`,
      (frame) => frame.id === multiKlineId(chain) && frame.result.interval === word,
    )
  }
})

test.each(chains)(
  'behavior: heartbeats and the topics beyond the contract, of %s',
  async (chain) => {
    const { token, platform } = markets[chain]
    const beatId = watchedId('new_pairs', chain)
    const beat = await watch.find(
      'a heartbeat',
      ({ id, result }) => id === beatId && result.topic === 'heartbeat',
    )
    expect(beat.result).toMatchObject({ chain })
    expect(beat.cursor).toMatch(chain === 'local' ? /^\d+-[0-9a-f]{8}-\d+$/ : /^\d+-\w+-\d+$/)
    const ranks = await findWatched('ranks', 'trending', chain)
    expect(ranks.result.tokens.length).toBeGreaterThan(2)
    expect(ranks.result.tokens[0].rank).toBe(1)
    const trade = await findWatched('a swap', 'trades', chain)
    expect(Number(trade.result.tx.amount_usd)).toBeGreaterThanOrEqual(1)
    const own = await findWatched('a swap of the wallet', 'wallet', chain)
    expect(own.result.id).toBe(`${own.result.tx.wallet_address}-${chain}`)
    const launch = await findWatched('a launch', 'launches', chain)
    expect(launch.result.launch.platform).toBe(platform)
    const { result: first } = await findWatched('rows', 'screener', chain)
    expect(first).toMatchObject({ snapshot: true, of: 'pairs', left: [], updated: [] })
    expect(first.order).toEqual(first.entered.map(({ id }: { id: string }) => id))
    const traded = first.entered.map(({ trades_1h }: { trades_1h: number }) => trades_1h)
    expect(traded).toEqual(traded.toSorted((a: number, b: number) => b - a))
    const top = await watch.find('the largest holders', ({ id, result }) => {
      return id === watchedId('holders', chain) && result.holders?.top.length > 0
    })
    const holders = await get(`/v2/tokens/top100/${token}-${chain}`)
    expect(holders.map(({ address }: { address: string }) => address)).toContain(
      top.result.holders.top[0].address,
    )
  },
)

test('behavior: the first push of price has every known price, right after the answer', async () => {
  const { pair, token } = markets.local
  const socket = await open()
  const mainPair = async () => (await get(`/v2/tokens/${token}-local`)).data.token.main_pair
  const mainBefore = await mainPair()
  const nothing = `${unknownPair}-local`
  const ids = [`${pair}-local`, nothing, 'x', `${token}-local`, `${token}-nowhere`]
  const answer = await socket.subscribe(['price', ids], 3)
  expect(answer.result.subscribed).toEqual([`${pair}-local`, nothing, `${token}-local`])
  expect(answer.result.rejected).toEqual([
    { param: 'x', reason: expect.any(String) },
    { param: `${token}-nowhere`, reason: expect.stringContaining('local') },
  ])
  const first = await socket.find('the first push', () => socket.pushes(3).length > 0)
  const at = socket.frames.indexOf(answer)
  const push = socket.frames[at + 1]!
  expect([first.id, push.result.topic]).toEqual([3, 'price'])
  // The push has the pair's entry and the token's, which names its main pair. The main pair may
  // change between the two reads.
  const mains = [mainBefore, await mainPair()]
  expect(mains.map((main) => [pair, main])).toContainEqual(
    push.result.prices.map((entry: { pair: string }) => entry.pair),
  )
  const dropped = await socket.call('unsubscribe', ['price', [nothing, `${pair}-local`, 'x']], 4)
  expect(dropped.result).toMatchObject({
    status: 'ok',
    unsubscribed: [nothing, `${pair}-local`],
    rejected: [{ param: 'x' }],
  })
  const left = await socket.call('unsubscribe', [], 5)
  expect(left.result).toEqual({ status: 'ok', unsubscribed: [`${token}-local`], rejected: [] })
  expect((await socket.call('unsubscribe', [], 6)).result).toEqual({
    status: 'ok',
    unsubscribed: [],
    rejected: [],
  })
  expectDocumented(socket, () => 'price')
})

test('behavior: a repeated subscription pushes under its new id only', async () => {
  const { token } = markets.local
  const socket = await open()
  await socket.subscribe(['multi_tx', token, 'local'], 10)
  await socket.find('a swap', ({ id, result }) => id === 10 && result.tx)
  const upper = `0x${token.slice(2).toUpperCase()}`
  const answer = await socket.subscribe(['multi_tx', upper, 'local'], 99)
  expect(answer.result.subscribed).toEqual([[upper, 'local']])
  const from = socket.frames.indexOf(answer)
  await socket.find('a swap under the new id', ({ id, result }) => id === 99 && result.tx)
  expect(socket.frames.slice(from).map(({ id }) => id)).not.toContain(10)
  await socket.call('unsubscribe', ['multi_tx', token, 'local'], 100)
  expect((await socket.call('unsubscribe', [], 101)).result.unsubscribed).toEqual([])
})

test('behavior: JSON-RPC: ping, batches, notifications and errors', async () => {
  const { token } = markets.local
  const socket = await open()
  expect(await socket.call('ping', undefined, 1)).toEqual({ jsonrpc: '2.0', id: 1, result: 'pong' })
  expect((await socket.call('nothing', [], 2)).error.code).toBe(-32601)
  expect((await socket.call('subscribe', { topic: 'tx' }, 3)).error.code).toBe(-32602)
  socket.send('{not json')
  const broken = await socket.find('an answer', ({ id }) => id === null)
  expect(broken.error.code).toBe(-32700)
  expectDocumented(socket, () => 'tx')
  const batch = [
    { jsonrpc: '2.0', method: 'ping', id: 4 },
    { jsonrpc: '2.0', method: 'subscribe', params: ['multi_tx', token, 'local'] },
    { jsonrpc: '1.0', method: 'ping', id: 5 },
  ]
  socket.send(batch)
  const answers = (await socket.find('the batch', Array.isArray)) as unknown as Frame[]
  expect(answers).toMatchObject([
    { id: 4, result: 'pong' },
    { id: 5, error: { code: -32600 } },
  ])
  // A subscription without an id pushes under 0.
  await socket.find('a swap under 0', (frame) => frame.id === 0 && frame.result.topic === 'tx')
})

test('behavior: after a graduation, subscribers of the curve’s klines are told the new main pair once', async () => {
  const socket = await open()
  await socket.subscribe(['new_pairs', 'local'], 3)
  // The curve with the least progress: bots are not about to buy it out.
  const curve = (await get('/v2/tokens/platform?tag=tape_in_new')).at(-1)
  await socket.subscribe(['kline', curve.main_pair, 'k1', 'local'], 1)
  await socket.subscribe(['multi_kline', [curve.main_pair, 'k5', 'local']], 2)
  const { address: launchPad } = readDevnetProfile(dataDir).launchPlatforms[0]!
  await buyOut(program!.ready.devnet_rpc_url, launchPad, curve.token)
  for (const id of [1, 2]) {
    const frame = await socket.find(
      'the switch',
      ({ id: own, result }) => own === id && result.data?.token === curve.token,
    )
    for (const { at, fields } of switchRows)
      for (const row of valuesAt(frame, at)) expect(faultsOf(row, fields)).toEqual([])
    const { data, status } = frame.result
    expect(status).toBe('ok')
    expect(frame).not.toHaveProperty('sent_time')
    expect(frame.result).not.toHaveProperty('topic')
    expect(data).toMatchObject({
      event: 'switch_main_pair',
      chain: 'local',
      old_main_pair: curve.main_pair,
      id: `${curve.main_pair}-local`,
      tag: 'tape',
    })
    expect(data.new_main_pair_data.pair).toBe(data.new_main_pair)
    const newId = `${data.new_main_pair}-local`
    await socket.find(
      'the graduation',
      ({ id: own, result }) => own === 3 && result.event === 'graduated' && result.id === newId,
    )
  }
  const switches = socket.frames.filter(({ result }) => result.data?.token === curve.token)
  expect(switches.map(({ id }) => id).sort()).toEqual([1, 2])
  expectDocumented(socket, (id) => (id === 3 ? 'new_pairs' : 'kline'))
})

test('behavior: all pushes so far follow the document', async () => {
  await watch.find('a new pair', ({ result }) => result.topic === 'new_pairs')
  expectDocumented(watch, watchedTopic)
  expectDocumented(klines, () => 'kline')
  const steady = watch.frames.filter((frame) => !isMainPairSwitch(frame))
  const names = steady.map((frame) => messageNameOf(frame, watchedTopic(frame.id ?? 0)))
  expect(new Set(names)).toEqual(
    new Set([
      ...['subscribed', 'txPush', 'multiTxPush', 'liqPush', 'klinePush', 'pricePush'],
      ...['trendingPush', 'newPairsPush', 'heartbeatPush'],
      ...['tradesPush', 'walletPush', 'launchesPush', 'holdersPush', 'screenerPush'],
    ]),
  )
  // Pushes of each pair are in the order of the chain, without duplicates.
  for (const chain of chains) {
    const ids = watch.pushes(watchedId('tx', chain)).map(({ result }) => result.tx.id as string)
    expect(ids).toEqual([...new Set(ids)])
    const places = ids.map((id) => id.split('-').map(Number))
    expect(places).toEqual(places.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]!))
  }
})

test('behavior: trades of several blocks arrive within a second of block time', async () => {
  const blocksOf = new Map<number, Set<number>>()
  await watch.find('a second with trades of two blocks', ({ result }) => {
    if (result?.topic !== 'trades') return false
    const { block_number: block, time } = result.tx
    const blocks = blocksOf.get(time) ?? new Set()
    blocksOf.set(time, blocks.add(block))
    return blocks.size > 1
  })
})
