// The whole program on a node without old state: the value of trades must equal that from an
// archive node.
import type { Address } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import type { RpcCall } from '../support/rpcProxy.ts'
import { deployToken, openPoolV3, swap, transfer } from '../support/simulate.ts'
import { readStored, type StoredMarket } from '../support/storedMarket.ts'

let node: DevNode
let dataDirs: string[] = []
const proxies: ChaosRpc[] = []

beforeEach(async () => {
  dataDirs = [await createDataDir(), await createDataDir()]
  node = await startDevNode()
})

afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close()
  await node.stop()
  for (const dataDir of dataDirs) await removeDataDir(dataDir)
})

/** Refuses a token's past transfers, from which each pool's balance could be computed. */
const noHistories = {
  intercept({ id, method, params }: RpcCall) {
    const filter = params[0] as { address?: string } | undefined
    if (method !== 'eth_getLogs' || typeof filter?.address !== 'string') return undefined
    const error = { code: 4_444, message: 'pruned history unavailable' }
    return Promise.resolve({ id, error })
  },
}
const noPast = { ...noHistories, stateBlocksMax: -1 }

/** Runs a backfill from a block on. Returns the stored market. */
async function index(dataDir: string, faults: object, from: number): Promise<StoredMarket> {
  const target = { targetUrl: node.rpcUrl, seed: 'pruned', rates: noChaos }
  const proxy = await startChaosRpc({ ...target, ...faults })
  proxies.push(proxy)
  const config = await writeChainConfig(
    dataDir,
    { ...node, rpcUrl: proxy.url },
    { chain: { start_block: from } },
  )
  expect(await runProgram(['backfill', '--config', config]).ended).toBe(0)
  return await readStored(dataDir, node.profile)
}

type Row = Record<string, unknown>

const swapsOf = ({ tables }: StoredMarket) =>
  tables.swaps!.map((row) => {
    const { reserve0, reserve1, liquidity_usd, liquidity_native, ...rest } = JSON.parse(row) as Row
    return { held: [reserve0, reserve1], tvl: [liquidity_usd, liquidity_native], rest }
  })

/**
 * Klines of pairs only, without token klines: a stablecoin's main pair is its deepest pair, and
 * depth is unknown here.
 */
const pairKlines = ({ tables }: StoredMarket, table: string) =>
  tables[table]!.filter((row) => Number((JSON.parse(row) as Row).pair_id) >= 0)

/** Opens three pools and trades in them. Returns them with the head. */
async function openPools() {
  const { weth, usdc } = node.deployment
  const { deployer: lp } = node.wallets
  const base = await deployToken(node)
  const open = async (pool: { base: Address; quote: Address; fee: number }, amounts: bigint[]) => {
    const [amount0, amount1] = amounts as [bigint, bigint]
    const address = await openPoolV3(node, pool, { base: amount0, quote: amount1 })
    return { ...pool, address, venue: 'v3' as const, lp }
  }
  const usd = await open({ base: weth, quote: usdc, fee: 10_000 }, [
    10n ** 19n,
    25_000n * 10n ** 6n,
  ])
  const coin = await open({ base, quote: weth, fee: 3_000 }, [10n ** 22n, 10n ** 19n])
  const stable = await open({ base, quote: usdc, fee: 3_000 }, [10n ** 22n, 25_000n * 10n ** 6n])
  const { number } = await node.readHead()
  return { usd, coin, stable, base, number }
}

type Pools = Awaited<ReturnType<typeof openPools>>

async function trade({ usd, coin, stable }: Pools): Promise<void> {
  const { weth, usdc } = node.deployment
  const { traders, deployer: lp } = node.wallets
  for (const trader of traders.slice(0, 3)) {
    await swap(node, coin, trader, weth, 123_456_789_012_345n)
    await swap(node, usd, trader, weth, 987_654_321_098_765n)
    await swap(node, coin, trader, weth, 222_222_222_222_222n)
    await swap(node, stable, lp, usdc, 7_654_321n)
    await swap(node, usd, lp, usdc, 1_234_567n)
  }
}

test('default: amounts, volumes and klines are identical, and only reserves are missing', async () => {
  const pools = await openPools()
  await trade(pools)
  const { number } = pools
  const [archive, pruned] = [
    await index(dataDirs[0]!, {}, number + 1),
    await index(dataDirs[1]!, noPast, number + 1),
  ]
  const [known, blind] = [swapsOf(archive), swapsOf(pruned)]
  expect(blind.map(({ rest }) => rest)).toEqual(known.map(({ rest }) => rest))
  expect(blind).toHaveLength(15)
  for (const table of ['klines_s1', 'klines_k1', 'klines'])
    expect(pairKlines(pruned, table)).toEqual(pairKlines(archive, table))
  expect(pairKlines(archive, 'klines_s1').length).toBeGreaterThan(0)
  for (const { held, tvl } of blind) expect([...held, ...tvl]).toEqual([null, null, null, null])
  for (const { held } of known) expect(held).not.toContain(0)
  // The pools existed before the first indexed block, so their creation is unknown.
  for (const row of pruned.tables.pairs!)
    expect(JSON.parse(row)).toMatchObject({ amm: 'uniswapv3', is_trusted: true, created_at_s: 0 })
})

test('behavior: a node with the state of its newest blocks gives the same rows as an archive node', async () => {
  const pools = await openPools()
  const { base, coin, stable, number } = pools
  const { deployer: lp, traders } = node.wallets
  await trade(pools)
  // A transfer to a pool, and added liquidity: neither is a swap.
  await transfer(node, base, lp, coin.address, 31_337n)
  await openPoolV3(node, stable, { base: 10n ** 20n, quote: 250n * 10n ** 6n })
  for (let block = 0; block < 80; block++) await node.mine()
  await swap(node, coin, traders[4]!, node.deployment.weth, 333_333_333_333_333n)
  const [archive, pruned] = [
    await index(dataDirs[0]!, noHistories, number + 1),
    await index(dataDirs[1]!, { ...noHistories, stateBlocksMax: 70 }, number + 1),
  ]
  expect(proxies[1]!.counts.get('pruned')).toBeGreaterThan(0)
  for (const table of ['swaps', 'liquidity', 'klines_s1', 'klines_k1', 'klines'])
    expect(pruned.tables[table]).toEqual(archive.tables[table])
  expect(pruned.tables.swaps).toHaveLength(16)
  expect(pruned.tables.liquidity).toHaveLength(1)
  for (const { held, tvl } of swapsOf(pruned)) {
    expect(held).not.toContain(0)
    expect([...held, ...tvl]).not.toContain(null)
  }
})
