// A generated Solana chain through the whole program: config, threads, every stage, the database,
// REST and WebSocket, forks and skipped slots. Expected values come from the generator's own
// programs.
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GeneratedChain } from '../../packages/devnet/src/solana/generatedChain.ts'
import { meme } from '../../packages/devnet/src/solana/market.ts'
import { solanaProfile } from '../../packages/devnet/src/solana/solanaProfile.ts'
import {
  genesisHash,
  type SolanaRpcServer,
  startSolanaRpc,
} from '../../packages/devnet/src/solana/solanaRpcServer.ts'
import { usdc, wrappedSol } from '../../packages/devnet/src/solana/world.ts'
import { compareStore } from '../oracle/compareStore.ts'
import type { ServedTrade } from '../oracle/compareTrades.ts'
import { readStore, type StoredMarket } from '../oracle/readStore.ts'
import type { RawBlock } from '../oracle/solana/rawBlock.ts'
import { recomputeSolana } from '../oracle/solana/recomputeSolana.ts'
import { createDataDir, removeDataDir, urlOf, withClient } from '../support/postgres.ts'
import { keepAllSettings, testApiKey } from '../support/program.ts'
import { openProgramSocket, type ProgramSocket } from '../support/programSocket.ts'
import { type Service, startService } from '../support/service.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

// Starts ten minutes ago, since rolling windows end at the current time.
const startTimeS = Math.floor(Date.now() / 1_000) - 600
const generate = () => new GeneratedChain({ seed: 11, startTimeS, transactions: 8 })

type Running = {
  chain: GeneratedChain
  node: SolanaRpcServer
  connection: Awaited<ReturnType<TestPostgres['createDatabase']>>
  dataDir: string
  configFile: string
  service: Service
}

let postgres: TestPostgres
let running: Running
let socket: ProgramSocket
const all: Running[] = []

/**
 * `startBlock`: blocks before it are not read; the service asks nodes for the holders at that
 * block.
 */
async function run(chain: GeneratedChain, startBlock = 0, fields: object = {}): Promise<Running> {
  const node = await startSolanaRpc(() => chain)
  const connection = await postgres.createDatabase()
  const dataDir = await createDataDir()
  const configFile = join(dataDir, 'config.json')
  const config = {
    api_key: testApiKey,
    log: { level: 'warn' },
    retention: keepAllSettings,
    database_url: urlOf(connection),
    limits: { resolve_ms_max: 10_000, rpc_ms_max: 60_000 },
    chains: {
      solana: {
        rpc: [{ http_url: node.url, requests_per_second_max: 10_000 }],
        start_block: startBlock,
        holders_from_nodes: startBlock > 0,
        poll_ms: 20,
        genesis_hash: genesisHash,
        native_pool_usd_min: 0,
        // No background checks: the test requests the reports it needs.
        risk_checks_per_min: 0,
        // The programs that the generator writes, which the oracle can recompute.
        programs: solanaProfile.venues,
        ...fields,
      },
    },
  }
  await writeFile(configFile, JSON.stringify(config))
  const service = await startService(dataDir, configFile)
  const made = { chain, node, connection, dataDir, configFile, service }
  all.push(made)
  return made
}

/** Waits until the chain's head is applied and stored. */
async function untilStored({ chain, connection }: Running): Promise<void> {
  await until(`slot ${chain.head.slot} is stored`, () =>
    withClient(connection, async (client) => {
      const { rows } = await client.query('SELECT hash FROM cursors')
      return rows[0]?.hash === chain.head.blockhash
    }),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: answers are what is tested
async function ask({ service }: Running, target: string): Promise<any> {
  const response = await service.get(target)
  const text = await response.text()
  expect(response.status, `${target}: ${text}`).toBe(200)
  return JSON.parse(text)
}

beforeAll(async () => {
  postgres = await startTestPostgres()
  const chain = generate()
  chain.mine(40)
  running = await run(chain)
  socket = await openProgramSocket(running.service.ready.address, { key: testApiKey })
})

afterAll(async () => {
  socket?.webSocket.terminate()
  for (const { service, node, dataDir } of all) {
    await service.kill()
    await node.stop()
    await removeDataDir(dataDir)
  }
  await postgres?.stop()
})

const whole = (raw: bigint, decimals: number) => Number(raw) / 10 ** decimals

test('default: pools, curves and tokens are served as in the programs’ state', async () => {
  await untilStored(running)
  const { world } = running.chain
  const amountOf = (account: string) => world.accounts.get(account)!.amount
  const [pool] = [...world.whirlpools.values()]
  const pair = await ask(running, `/v2/pairs/${pool!.pool}-solana`)
  expect(pair).toMatchObject({ token0_address: wrappedSol, token1_address: usdc, amm: 'whirlpool' })
  expect([pair.reserve0, pair.reserve1].map(Number)).toEqual([
    whole(amountOf(pool!.vaults[0]), 9),
    whole(amountOf(pool!.vaults[1]), 6),
  ])
  const usd = (Number(pool!.root) / 2 ** 64) ** 2 * 1_000
  const { data } = await ask(running, `/v2/tokens/${wrappedSol}-solana`)
  expect(data.token).toMatchObject({ symbol: 'SOL', name: 'Wrapped SOL', decimal: 9 })
  expect(Number(data.token.current_price_usd)).toBeCloseTo(usd, 6)
  for (const [mint, { curve, isComplete }] of world.curves) {
    const { token } = (await ask(running, `/v2/tokens/${mint}-solana`)).data
    const { symbol, name, decimals } = world.mints.get(mint)!
    expect(token).toMatchObject({ symbol, name, decimal: decimals })
    // The token's whole life is in the blocks, so its supply is exact.
    expect(Number(token.total)).toBe(whole(world.mints.get(mint)!.supply, 6))
    const holders = [...world.accounts.values()].filter(
      (account) => account.mint === mint && account.amount > 0n,
    )
    expect([mint, token.holders]).toEqual([mint, new Set(holders.map(({ owner }) => owner)).size])
    const { pair: address } = await ask(running, `/v2/pairs/${curve}-solana`)
    expect([address, isComplete]).toEqual([curve, isComplete])
  }
  // The token existed before the first block; its supply is the mint's at the head.
  const old = (await ask(running, `/v2/tokens/${meme}-solana`)).data.token
  expect(Number(old.total)).toBe(whole(world.mints.get(meme)!.supply, 5))
  expect(Number(old.fdv)).toBeGreaterThan(0)
  expect(old).toMatchObject({ created_at: 0, created_at_known: false })
  for (const figure of ['total', 'fdv', 'market_cap', 'launch_at'])
    expect(old).not.toHaveProperty(`${figure}_known`)
  expect(world.pumpPools.size).toBeGreaterThan(0)
  const out = await ask(running, '/v2/tokens/platform?tag=pump_out_hot&chain=solana')
  expect(JSON.stringify(out)).toContain([...world.pumpPools.values()][0]!.mints[0])
})

test('behavior: a wallet has its native balance, and tokens of another chain kind do not exist here', async () => {
  const [wallet, lamports] = [...running.chain.world.lamports][0]!
  const target = `/v2/address/walletinfo?wallet_address=${wallet}&chain=solana`
  // Answers do not wait long for nodes, so the balance may take several requests.
  await until('the node has returned the balance of the wallet', async () => {
    const { main_token_balance: balance } = await ask(running, target)
    return Number(balance) === whole(lamports, 9)
  })
  const response = await running.service.get('/v2/tokens/0xabc-solana')
  expect(response.status).toBe(400)
})

test('behavior: trades are pushed, an abandoned branch is reverted, and nothing of it remains', async () => {
  const { chain } = running
  const [pool] = chain.world.whirlpools.keys()
  await socket.subscribe(['tx', pool, 'solana', { revisions: true }], 1)
  chain.mine(4, 'other')
  await untilStored(running)
  await until('trades are pushed', () => socket.pushes(1).length > 0)
  for (const { result } of socket.pushes(1)) {
    const profile = JSON.parse(result.tx.profile)
    const held = ['token0TotalHolding', 'token1TotalHolding', 'solTotalHolding']
    for (const name of held) expect(profile, name).toHaveProperty(name, expect.any(Number))
    expect(Object.keys(profile).filter((name) => name.endsWith('_known'))).toEqual([])
  }
  chain.drop(4)
  chain.mine(12)
  await untilStored(running)
  await until('they are reverted', () => socket.pushes(1).some(({ result }) => result.retracted))
  const straight = generate()
  straight.mine(52)
  expect(straight.head.blockhash).toBe(chain.head.blockhash)
  const other = await run(straight)
  await untilStored(other)
  const history = ['klines_s1', 'supplies']
  const tables = ['pairs', 'tokens', 'swaps', 'liquidity', 'balances', ...history]
  for (const table of tables) {
    const [ours, theirs] = await Promise.all([running, other].map((one) => rowsOf(one, table)))
    expect(ours!.length).toBeGreaterThan(0)
    expect(ours, table).toEqual(theirs)
  }
})

test('behavior: holders of tokens from before the first block are read from nodes', async () => {
  const chain = generate()
  chain.mine(40)
  const older = [...chain.world.curves.keys()]
  const late = await run(chain, chain.head.slot)
  const rowOf = async (mint: string) => {
    const response = await late.service.get(`/v2/tokens/${mint}-solana`)
    // biome-ignore lint/suspicious/noExplicitAny: answers are what is tested
    return response.status === 200 ? ((await response.json()) as any).data.token : null
  }
  const completed: string[] = []
  await until('holders of a token are complete', async () => {
    chain.mine()
    await untilStored(late)
    for (const mint of older) if ((await rowOf(mint))?.holders_complete) completed.push(mint)
    return completed.length > 0
  })
  chain.mine(5)
  await untilStored(late)
  for (const mint of new Set(completed)) {
    const accounts = [...chain.world.accounts.values()].filter((account) => account.mint === mint)
    const owners = new Set(accounts.filter(({ amount }) => amount > 0n).map(({ owner }) => owner))
    await until(`${owners.size} hold ${mint}`, async () => {
      const { holders, holders_complete: isComplete } = await rowOf(mint)
      return isComplete && holders === owners.size
    })
  }
  expect(late.node.asked.get('getProgramAccounts')).toBeGreaterThan(0)
})

test('behavior: the stored market equals one recomputed from raw blocks by the programs’ formulas, and a changed figure is found', async () => {
  await untilStored(running)
  const { blocks, world } = running.chain
  const decimals = new Map(Array.from(world.mints, ([mint, known]) => [mint, known.decimals]))
  const chain = { blocks: blocks as unknown as RawBlock[], decimals }
  const { recomputed, differences, checked } = recomputeSolana(chain, solanaProfile)
  expect(differences).toEqual([])
  expect(checked).toBeGreaterThan(100)
  const differencesInStore = async () => {
    const stored = await readStore(running.connection, 'solana')
    return compareStore(recomputed, { ...stored, trades: rankedTrades(stored) })
  }
  expect(await differencesInStore()).toEqual([])
  await withClient(running.connection, (client) =>
    client.query(
      `UPDATE swaps SET reserve1 = reserve1 + 1 WHERE (block, idx) =
         (SELECT block, idx FROM swaps ORDER BY block, idx LIMIT 1)`,
    ),
  )
  expect(await differencesInStore()).toEqual([expect.stringContaining('reserve1')])
})

/**
 * Trades renumbered within block and pair, as the oracle numbers them. The service's indexes also
 * count other instructions.
 */
function rankedTrades({ trades }: StoredMarket): Map<number, ServedTrade[]> {
  const ranked = (list: readonly ServedTrade[]) =>
    list.map((trade, at) => {
      const first = list.findIndex(({ blockNumber }) => blockNumber === trade.blockNumber)
      return { ...trade, logIndex: at - first }
    })
  return new Map(Array.from(trades, ([pairId, list]) => [pairId, ranked(list)]))
}

test('behavior: logos come from token metadata if this is enabled', async () => {
  const asked: string[] = []
  const gateway = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.end(JSON.stringify({ image: `https://images.example${url}.png` }))
  })
  await new Promise<void>((done) => gateway.listen(0, '127.0.0.1', done))
  try {
    const { port } = gateway.address() as AddressInfo
    const chain = generate()
    chain.mine(10)
    const ipfs_gateway = `http://127.0.0.1:${port}/ipfs/{path}`
    const shown = await run(chain, 0, { uri_json: true, ipfs_gateway })
    await untilStored(shown)
    const logoOf = async (of: Running) =>
      (await ask(of, `/v2/tokens/${usdc}-solana`)).data.token.logo_url as string
    const image = `https://images.example/ipfs/${usdc}.png`
    await until('its own logo', async () => (await logoOf(shown)) === image)
    expect(await logoOf(running)).toContain(`${usdc}/logo.png`)
    expect(asked.filter((url) => url === `/ipfs/${usdc}`)).toHaveLength(1)
  } finally {
    await new Promise((done) => gateway.close(done))
  }
})

test('behavior: reports say whether holders can sell, by simulated sales on a node', async () => {
  const { world } = running.chain
  const reportOf = (token: string) => ask(running, `/v2/contracts/${token}-solana`)
  const [free, caught] = [...world.pumpPools.values()].map(({ mints }) => mints[0])
  await untilStored(running)
  const report = await reportOf(free!)
  expect(report).toMatchObject({ err_msg: '', is_honeypot: 0, cannot_sell_all: '0', sell_tax: 0 })
  expect(report.holder_analysis.sell_successful).toBeGreaterThan(0)
  const token = caught ?? [...world.cpmms.values()][0]!.mints.find((mint) => mint !== wrappedSol)!
  for (const [key, holding] of world.accounts)
    if (holding.mint === token) world.accounts.set(key, { ...holding, isFrozen: true })
  const frozen = await reportOf(token)
  expect(frozen).toMatchObject({ is_honeypot: 1, risk_score: 100 })
  expect(frozen.holder_analysis).toMatchObject({ sell_successful: 0 })
})

/** All rows of a table, sorted as text. */
async function rowsOf({ connection }: Running, table: string): Promise<string[]> {
  return await withClient(connection, async (client) => {
    // Native balances are read from nodes at the head only, so they depend on timing.
    const row = "(to_jsonb(t) - 'holding_native')::text AS row"
    const { rows } = await client.query(`SELECT ${row} FROM ${table} t`)
    return rows.map(({ row }) => row as string).toSorted()
  })
}
