// A chain kind that is defined outside the product, through the whole program: config, threads,
// every stage, the database, reorgs, restarts, every operation and every topic. Expected values are
// sums computed by the chain itself.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { operations } from '../../packages/server/src/gateway/rest/operations.ts'
import * as fake from '../support/fakeChain.ts'
import { createDataDir, removeDataDir, urlOf, withClient } from '../support/postgres.ts'
import { preloadFakeKind } from '../support/preloadFakeKind.ts'
import { keepAllSettings, testApiKey } from '../support/program.ts'
import {
  isMainPairSwitch,
  openProgramSocket,
  type ProgramSocket,
} from '../support/programSocket.ts'
import { type Service, startService } from '../support/service.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

const { coin, dollar, meme, memeTwin, stablePool, memePool, twinPool, secondPool } = fake
const [alice, bob] = [fake.idOf('alice'), fake.idOf('bob')]
// Starts ten minutes ago, since rolling windows end at the current time.
const chain = new fake.FakeChain(Math.floor(Date.now() / 1_000) - 600)
const depthMax = 4

let node: Awaited<ReturnType<typeof fake.startFakeNode>>
let postgres: TestPostgres
let connection: Awaited<ReturnType<TestPostgres['createDatabase']>>
let dataDir: string
let configFile: string
let env: NodeJS.ProcessEnv
let service: Service
let socket: ProgramSocket

const open = (pool: string, token0: string, token1: string, amount0: bigint, amount1: bigint) =>
  ({ type: 'open', pool, token0, token1, amount0, amount1 }) as const
const trade = (pool: string, amount0: bigint) => ({ type: 'trade', pool, amount0 }) as const
const tx = (name: string, signer: string, ...steps: fake.FakeTransaction['steps']) => ({
  name,
  signer,
  steps,
})

/** A raw amount in whole units, as the API writes it, without a sign. */
function whole(token: string, raw: bigint | string): string {
  const { decimals } = fake.tokens[token]!
  const digits = `${raw}`.replace('-', '').padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
}

async function start(): Promise<void> {
  service = await startService(dataDir, configFile, [], { env })
  socket = await openProgramSocket(service.ready.address, { key: testApiKey })
}

/** Waits until the chain's head is applied and stored. */
async function untilStored(): Promise<void> {
  await until(`slot ${chain.head.slot} is stored`, () =>
    withClient(connection, async (client) => {
      const { rows } = await client.query('SELECT hash FROM cursors')
      return rows[0]?.hash === chain.head.hash
    }),
  )
}

beforeAll(async () => {
  node = await fake.startFakeNode(chain)
  postgres = await startTestPostgres()
  connection = await postgres.createDatabase()
  dataDir = await createDataDir()
  env = await preloadFakeKind(join(dataDir, 'preload'))
  configFile = join(dataDir, 'config.json')
  const config = {
    api_key: testApiKey,
    log: { level: 'warn' },
    retention: keepAllSettings,
    database_url: urlOf(connection),
    limits: { resolve_ms_max: 10_000, rpc_ms_max: 60_000 },
    testing: { snapshot_every_ms: 100 },
    chains: {
      fake: {
        kind: 'fake',
        node_url: node.url,
        program: fake.program,
        start_block: 0,
        finality: 12,
        reorg_depth_max: depthMax,
        native_pool_usd_min: 0,
        stables: [dollar],
        quotes: [dollar, coin],
        native: { symbol: 'COIN', decimals: 9, wrapped_token: coin },
      },
    },
  }
  await writeFile(configFile, JSON.stringify(config))
  chain.mine(3, [
    tx('open stable', alice, open(stablePool, coin, dollar, 400_000_000_000n, 60_000_000_000n)),
    tx('open meme', alice, open(memePool, meme, coin, 9_000_000_000n, 90_000_000_000n)),
  ])
  const round = [trade(memePool, -40_000_000n), trade(twinPool, 30_000_000n)]
  chain.mine(7, [
    tx('open twin', bob, open(twinPool, memeTwin, coin, 5_000_000_000n, 40_000_000_000n)),
    // Swaps in several pools within one transaction.
    tx('round', alice, ...round, trade(stablePool, 900_000_000n)),
  ])
  await start()
})

afterAll(async () => {
  socket?.webSocket.terminate()
  await service?.kill()
  node?.stop()
  await postgres?.stop()
  await removeDataDir(dataDir)
})

/** Requested operations, by method and path. */
const asked = new Set<string>()

// biome-ignore lint/suspicious/noExplicitAny: answers are what is tested
async function ask(target: string, ids?: readonly string[], more = {}): Promise<any> {
  const method = ids === undefined ? 'GET' : 'POST'
  const [path] = target.split('?')
  const segments = path!.split('/')
  const named = operations.find(
    (each) =>
      each.method === method &&
      each.path.split('/').length === segments.length &&
      each.path.split('/').every((part, i) => part.startsWith('{') || part === segments[i]),
  )
  const exact = operations.find((each) => each.method === method && each.path === path)
  asked.add(`${method} ${(exact ?? named)?.path}`)
  const response = await fetch(`${service.ready.address}${target}`, {
    method,
    headers: { 'X-API-KEY': testApiKey },
    ...(ids === undefined ? {} : { body: JSON.stringify({ token_ids: ids, ...more }) }),
  })
  const text = await response.text()
  expect(response.status, `${target}: ${text}`).toBe(200)
  return JSON.parse(text)
}

type Row = Record<string, string>

/** Compares all served trades and holders with the chain's own sums. */
async function expectMarket(): Promise<void> {
  await untilStored()
  for (const pool of [stablePool, memePool, twinPool]) {
    const events = chain.eventsOf(pool)
    const { token0, token1, reserve0, reserve1 } = events.at(-1)!
    const pair = await ask(`/v2/pairs/${pool}-fake`)
    expect(pair).toMatchObject({ pair: pool, token0_address: token0, token1_address: token1 })
    expect([pair.reserve0, pair.reserve1].map(Number)).toEqual([
      Number(whole(token0, chain.amountOf(token0, pool))),
      Number(whole(token1, chain.amountOf(token1, pool))),
    ])
    expect(chain.amountOf(token0, pool)).toBe(BigInt(reserve0))
    expect(chain.amountOf(token1, pool)).toBe(BigInt(reserve1))
    const { txs } = await ask(`/v2/txs/swap/${pool}-fake?limit=100&sort=asc`)
    expect(
      (txs as Row[]).map((row) => ({
        hash: row.tx_hash,
        wallet: row.wallet_address,
        slot: row.block_number,
        [row.from_token_address!]: row.from_token_amount,
        [row.to_token_address!]: row.to_token_amount,
      })),
    ).toEqual(
      events
        .filter(({ type }) => type === 'trade')
        .map(({ signature, signer, slot, amount0, amount1 }) => ({
          hash: signature,
          wallet: signer,
          slot,
          [token0]: whole(token0, amount0),
          [token1]: whole(token1, amount1),
        })),
    )
  }
  for (const token of Object.keys(fake.tokens)) {
    const holders = chain.holders(token)
    const { data } = await ask(`/v2/tokens/${token}-fake`)
    expect([token, data.token.token, data.token.holders]).toEqual([token, token, holders.length])
    const supply = holders.reduce((sum, { amount }) => sum + amount, 0n)
    expect([token, data.token.total]).toEqual([token, whole(token, supply)])
    const rows: Row[] = await ask(`/v2/tokens/holders/${token}-fake?limit=100`)
    const served = Object.fromEntries(
      rows.map(({ holder, amount_cur }) => [holder, `${amount_cur}`]),
    )
    expect(served).toEqual(
      Object.fromEntries(holders.map(({ owner, amount }) => [owner, whole(token, amount)])),
    )
  }
}

test('default: blocks of another chain kind are read, stored and served', async () => {
  await expectMarket()
  // Two tokens whose addresses differ in the case of one letter.
  for (const [token, symbol] of [
    [meme, 'MEME'],
    [memeTwin, 'TWIN'],
  ]) {
    const found: Row[] = await ask(`/v2/tokens?keyword=${token}&chain=fake`)
    expect(found.map((row) => [row.token, row.symbol])).toEqual([[token, symbol]])
  }
  const response = await service.get(`/v2/tokens/${meme.toLowerCase()}-fake`)
  expect([response.status, ((await response.json()) as { msg: string }).msg]).toEqual([
    400,
    expect.stringContaining('is not one of the chain fake'),
  ])
})

test('behavior: every operation answers', async () => {
  const [token, pair] = [`${meme}-fake`, `${memePool}-fake`]
  const ofAlice = `wallet_address=${alice}&chain=fake`
  // This kind does not analyze contracts, and the report says so.
  expect(await ask(`/v2/contracts/${token}`)).toMatchObject({
    token: meme,
    is_honeypot: -1,
    err_msg: 'no checker',
    holders: 2,
  })
  const top: Row[] = await ask(`/v2/tokens/top100/${token}`)
  expect(top.map(({ holder }) => holder)).toEqual(chain.holders(meme).map(({ owner }) => owner))
  const prices = await ask('/v2/tokens/price', [token, `${memeTwin}-fake`])
  expect(Object.keys(prices)).toEqual([token, `${memeTwin}-fake`])
  const then = await ask('/v2/tokens/price/at', [token], { time: chain.head.timeS })
  expect(Number(then[token].price_usd)).toBeGreaterThan(0)
  const priceOf = (pool: string) => {
    const { token0, token1, reserve0, reserve1 } = chain.eventsOf(pool).at(-1)!
    return Number(whole(token1, reserve1)) / Number(whole(token0, reserve0))
  }
  const usd = priceOf(memePool) * priceOf(stablePool)
  expect(Number(prices[token].current_price_usd)).toBeCloseTo(usd, 10)
  expect(Object.keys(await ask('/v2/tokens/search', [token]))).toEqual([token])
  const main: Row[] = await ask('/v2/tokens/main?chain=fake')
  expect(main.map((row) => row.token)).toEqual([coin, dollar])
  const { tokens } = await ask('/v2/tokens/trending?chain=fake')
  expect(tokens.map((row: Row) => row.token)).toContain(meme)
  expect(await ask('/v2/tokens/platform?tag=meme&chain=fake')).toEqual([])
  expect((await ask(`/v2/txs/${pair}`)).txs[0].tx_hash).toBe(fake.signatureOf('round'))
  const liquidity: Row[] = (await ask(`/v2/txs/liq/${pair}?sort=asc`)).txs
  expect(liquidity.map((row) => [row.type, row.transaction, row.amount0])).toEqual([
    ['createPair', fake.signatureOf('open meme'), '0'],
    ['addLiquidity', fake.signatureOf('open meme'), '90000'],
  ])
  const legs: Row[] = await ask(
    `/v2/txs/detail?chain=fake&account_address=${alice}&tx_hash=${fake.signatureOf('round')}`,
  )
  expect(legs.map((row) => row.pair_address)).toEqual([stablePool, twinPool, memePool])
  // One side of the pool is a stablecoin, so the volume is a sum of dollars.
  const [point] = (await ask(`/v2/klines/pair/${stablePool}-fake?interval=1`)).points
  const { amount1 } = chain.eventsOf(stablePool).at(-1)!
  expect(point.volume).toBe(whole(dollar, amount1))
  expect((await ask(`/v2/klines/token/${token}?interval=1`)).pair_id).toBe(pair)
  await ask('/v2/ranks/topics')
  const hot: Row[] = await ask('/v2/ranks?topic=hot&chain=fake')
  expect(hot.map((row) => row.token)).toContain(memeTwin)
  const screened = await ask('/v2/screener?chain=fake&sort=trades_24h')
  expect(screened.tokens.map((row: Row) => row.token)).toContain(memeTwin)
  const screenedPairs = await ask('/v2/screener/pairs?chain=fake&sort=trades_24h')
  expect(screenedPairs.pairs.map((row: Row) => row.pair)).toContain(memePool)
  const ofMeme = await ask(`/v2/tokens/pairs/${token}`)
  expect(ofMeme.pairs.map((row: Row) => row.pair)).toContain(memePool)
  const made = await ask('/v2/pairs/new?chain=fake')
  expect(made.pairs.map((row: Row) => row.pair)).toContain(memePool)
  const { result } = await ask(`/v2/address/tx?${ofAlice}`)
  expect(result.map((row: Row) => row.tx_hash)).toEqual(legs.map((row) => row.tx_hash))
  const pnl = await ask(`/v2/address/pnl?${ofAlice}&token_address=${meme}`)
  expect([pnl.token_address, pnl.total_purchase_amount]).toEqual([meme, '400'])
  expect((await ask(`/v2/address/walletinfo?${ofAlice}`)).main_token_balance).toBe('0.000000007')
  const held: Row[] = await ask(`/v2/address/walletinfo/tokens?${ofAlice}`)
  const coins = held.find((row) => row.token === coin)!
  expect(coins.balance_amount).toBe(whole(coin, chain.amountOf(coin, alice)))
  expect(await ask('/v2/address/smart_wallet/list?chain=fake')).toEqual([])
  expect((await ask('/v2/supported_chains'))[0]).toMatchObject({ case_sensitive: true })
  const { chains } = await ask('/v2/status')
  const { slot, hash } = chain.head
  expect(chains[0]).toMatchObject({ head_block: slot, head_hash: hash, persisted_block: slot })
  expect(await ask('/v2/signals/public/list?chain=fake')).toEqual([])
  await ask('/udf/config')
  await ask('/udf/time')
  expect((await ask(`/udf/symbols?symbol=${pair}`)).ticker).toBe(pair)
  expect((await ask('/udf/search?query=twin'))[0].ticker).toBe(`${twinPool}-fake`)
  const span = `from=${chain.head.timeS - 600}&to=${chain.head.timeS + 600}`
  expect((await ask(`/udf/history?symbol=${pair}&resolution=1&${span}`)).t).toHaveLength(1)
  expect((await ask(`/udf/quotes?symbols=${pair}`)).d).toMatchObject([{ s: 'ok', n: pair }])
  await ask('/v2/usage')
  const all = operations.map(({ method, path }) => `${method} ${path}`)
  expect([...asked].toSorted()).toEqual(all.toSorted())
})

const revised = { revisions: true }
/** Subscriptions by the id of their request. */
const subscriptions: Record<number, readonly unknown[]> = {
  1: ['tx', memePool, 'fake', revised],
  2: ['multi_tx', meme, 'fake', revised],
  3: ['liq', memePool, 'fake', revised],
  4: ['kline', memePool, 'k1', 'fake', revised],
  5: ['multi_kline', [twinPool, 's1', 'fake'], [stablePool, 'k5', 'fake'], revised],
  6: ['price', [`${meme}-fake`, `${memePool}-fake`]],
  7: ['trending', 'fake'],
  8: ['new_pairs', 'fake', revised],
  9: ['wallet', [`${alice}-fake`], revised],
  10: ['trades', 'fake', revised],
  11: ['launches', 'fake', revised],
  12: ['holders', meme, 'fake'],
  13: ['screener', { chain: 'fake', of: 'pairs', min_trades_24h: 1 }],
}

/** Transactions of the pushes under an id, with a minus for retracted ones. */
const hashesOf = ({ pushes }: ProgramSocket, id: number): string[] =>
  pushes(id).map(({ result }) => `${result.retracted ? '-' : '+'}${result.tx.transaction}`)

const plus = (name: string) => `+${fake.signatureOf(name)}`
const minus = (name: string) => `-${fake.signatureOf(name)}`

test('behavior: every topic is pushed, and a reorg across a skipped number is reverted', async () => {
  for (const [id, params] of Object.entries(subscriptions))
    expect((await socket.subscribe(params, Number(id))).error).toBeUndefined()
  const sell = tx('sell', bob, trade(memePool, 25_000_000n), trade(twinPool, 1_000_000n))
  chain.mine(12, [tx('gone', alice, trade(memePool, 50_000_000n))])
  const second = open(secondPool, meme, coin, 20_000_000_000n, 250_000_000_000n)
  chain.mine(40, [tx('deposit', alice, { type: 'deposit', pool: memePool, amount0: 90_000_000n })])
  await untilStored()
  await until('the deposit is pushed', () => socket.pushes(3).length === 1)
  chain.drop(2)
  // The other branch has no block with either number.
  chain.mine(25, [sell], 'b')
  chain.mine(26, [tx('open second', bob, second)], 'b')
  await until('the new pair is pushed', () => socket.pushes(8).length === 1)
  expect(hashesOf(socket, 1)).toEqual([plus('gone'), minus('gone'), plus('sell')])
  expect(hashesOf(socket, 2)).toEqual([plus('gone'), minus('gone'), plus('sell')])
  expect(hashesOf(socket, 3)).toEqual([plus('deposit'), minus('deposit')])
  expect(hashesOf(socket, 9)).toEqual([plus('gone'), minus('gone')])
  // The sale consists of swaps in two pools.
  expect(hashesOf(socket, 10)).toEqual([plus('gone'), minus('gone'), plus('sell'), plus('sell')])
  expect(socket.pushes(11)).toEqual([])
  await until('the largest holders are pushed', () =>
    socket.pushes(12).some(({ result }) => result.holders.top.length > 0),
  )
  await until('the filter selects the pool', () =>
    JSON.stringify(socket.pushes(13)).includes(memePool),
  )
  const { token0, token1, reserve0, reserve1 } = chain.eventsOf(memePool).at(-1)!
  const price = Number(whole(token1, reserve1)) / Number(whole(token0, reserve0))
  const { kline } = socket.pushes(4).at(-1)!.result
  expect(Number(kline.eth.close)).toBeCloseTo(price, 12)
  expect(socket.pushes(5).map(({ result }) => result.id)).toEqual(
    expect.arrayContaining([`${twinPool}-fake`]),
  )
  const prices: Row[] = socket.pushes(6).flatMap(({ result }) => result.prices)
  expect(prices.length).toBeGreaterThan(2)
  expect(new Set(prices.map((row) => `${row.token} ${row.pair}`))).toEqual(
    new Set([`${meme} ${memePool}`]),
  )
  expect(JSON.stringify(socket.pushes(7))).toContain(memeTwin)
  expect(JSON.stringify(socket.pushes(8)[0])).toContain(secondPool)
  await expectMarket()
})

test('behavior: a client resumes by cursor across a kill, a restart from a snapshot and a deep reorg', async () => {
  const { cursor } = socket.pushes(1).at(-1)!
  expect(cursor).toMatch(new RegExp(`^25-${chain.blocks.at(-2)!.hash.slice(0, 8)}-\\d+$`))
  for (let slot = 50; slot < 99; slot += 2)
    chain.mine(slot, [tx(`t${slot}`, alice, trade(memePool, BigInt(slot)))])
  await untilStored()
  // The second pool has been deeper for long enough to become the main pair.
  const { result } = await socket.find('the main pair changes', isMainPairSwitch)
  expect([result.data.token, result.data.new_main_pair]).toEqual([meme, secondPool])
  await until('a snapshot is stored', () =>
    withClient(connection, async (client) => {
      const { rows } = await client.query('SELECT 1 FROM snapshots LIMIT 1')
      return rows.length > 0
    }),
  )
  await service.kill()
  chain.mine(120, [tx('t120', bob, trade(memePool, 77n))])
  await start()
  await expectMarket()
  const missed = chain.eventsOf(memePool).filter(({ slot }) => slot > 26)
  const since = { since: cursor, revisions: true }
  await socket.subscribe(['tx', memePool, 'fake', since], 1)
  await until('all was sent again', () => socket.pushes(1).length === missed.length)
  expect(hashesOf(socket, 1)).toEqual(missed.map(({ signature }) => `+${signature}`))

  // More blocks than are held in memory: the database reverts them and returns the block to resume
  // from.
  chain.drop(depthMax + 3)
  const left = chain.head
  chain.mine(121, [tx('after', alice, trade(memePool, 5_000n))], 'c')
  await expectMarket()
  const { error } = await socket.find('the subscription ends', (frame) => frame.error !== undefined)
  expect(error.data).toMatchObject({
    code: 'cursor_orphaned',
    cursor: expect.stringMatching(new RegExp(`^${left.slot}-${left.hash.slice(0, 8)}-`)),
  })
  await socket.subscribe(['tx', memePool, 'fake', { since: error.data.cursor }], 9)
  await until('the other branch is pushed', () => socket.pushes(9).length === 1)
  expect(hashesOf(socket, 9)).toEqual([plus('after')])
})

test('behavior: a gateway of its own serves the stored market, follows it and ends when asked', async () => {
  const gatewayDir = await createDataDir()
  const gateway = await startService(gatewayDir, configFile, ['--role', 'gateway'], { env })
  onTestFinished(async () => {
    await gateway.kill()
    await removeDataDir(gatewayDir)
  })
  await until('the gateway is ready', async () => (await gateway.health()).ready)
  for (const path of [
    `/v2/pairs/${memePool}-fake`,
    `/v2/txs/${memePool}-fake?limit=100`,
    `/v2/klines/pair/${memePool}-fake?interval=1`,
  ]) {
    const [own, other] = await Promise.all(
      [service, gateway].map(async ({ get }) => (await get(path)).json() as Promise<object>),
    )
    // The moment of the request ends a range of klines.
    expect({ ...other, to_time: 0 }, path).toEqual({ ...own, to_time: 0 })
  }
  const reader = await openProgramSocket(gateway.ready.address, { key: testApiKey })
  onTestFinished(() => reader.webSocket.terminate())
  await reader.subscribe(['tx', memePool, 'fake', revised], 1)
  chain.mine(130, [tx('seen', alice, trade(memePool, 6_000n))], 'c')
  await until('the gateway pushes the trade', () => reader.pushes(1).length === 1)
  chain.drop(1)
  chain.mine(131, [tx('kept', alice, trade(memePool, 7_000n))], 'd')
  await until('the gateway pushes the other branch', () => reader.pushes(1).length === 3)
  expect(hashesOf(reader, 1)).toEqual([plus('seen'), minus('seen'), plus('kept')])
  for (const stopped of [gateway, service]) {
    expect(await stopped.stop()).toBe(0)
    expect(stopped.stdout() + stopped.stderr()).not.toContain('Failed to stop')
  }
})
