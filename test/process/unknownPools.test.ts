// The whole program on a node that is not an archive node: a concentrated pool from before the
// first block.
import { resolve } from 'node:path'
import { type Address, encodeDeployData, formatUnits } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { compileSolidity } from '../support/compileSolidity.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import { type Service, startService } from '../support/service.ts'
import { openPoolV3, swap } from '../support/simulate.ts'
import { readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let node: DevNode
let dataDir = ''
let service: Service | undefined
const proxies: ChaosRpc[] = []

beforeEach(async () => {
  dataDir = await createDataDir()
  node = await startDevNode()
})

afterEach(async () => {
  await service?.kill()
  for (const proxy of proxies.splice(0)) await proxy.close()
  await node.stop()
  await removeDataDir(dataDir)
})

/** A config of the node's chain behind a proxy that has the state of its newest blocks only. */
async function configure(stateBlocksMax: number, startBlock: number): Promise<string> {
  const target = { targetUrl: node.rpcUrl, seed: 'pruned', rates: noChaos }
  const proxy = await startChaosRpc({ ...target, stateBlocksMax })
  proxies.push(proxy)
  const chain = { start_block: startBlock }
  return await writeChainConfig(dataDir, { ...node, rpcUrl: proxy.url }, { chain })
}

async function deploySilent(): Promise<Address> {
  const { abi, bytecode } = compileSolidity(
    resolve(import.meta.dirname, '../support/SilentToken.sol'),
  ).get('SilentToken')!
  const data = encodeDeployData({ abi, bytecode, args: [] })
  const { deployer: from } = node.wallets
  const hash = await node.send({ from, to: undefined, data, value: 0n, gas: 3_000_000 })
  await node.mine()
  const receipt = await node.request('eth_getTransactionReceipt', [hash])
  return (receipt as { contractAddress: string }).contractAddress.toLowerCase() as Address
}

async function balanceOf(token: string, wallet: string): Promise<bigint> {
  const data = `0x70a08231${wallet.slice(2).padStart(64, '0')}`
  return BigInt((await node.request('eth_call', [{ to: token, data }, 'latest'])) as string)
}

type Pair = Record<'reserve0' | 'reserve1' | 'init_reserve0' | 'init_reserve1', string>

async function readPair(address: string): Promise<Pair> {
  const response = await service!.get(`/v2/pairs/${address}-${node.profile.name}`)
  return (await response.json()) as Pair
}

/** Reserves in whole tokens, in the pool's order; both tokens have 18 decimals. */
async function readChain(address: string, base: string): Promise<[string, string]> {
  const { weth } = node.deployment
  const tokens = base < weth ? [base, weth] : [weth, base]
  const [raw0, raw1] = await Promise.all(tokens.map((token) => balanceOf(token, address)))
  return [formatUnits(raw0!, 18), formatUnits(raw1!, 18)]
}

async function untilKnown(): Promise<void> {
  await until('the pool is known', async () => {
    await node.mine()
    const metrics = await (await service!.get('/metrics')).text()
    return /^chaintape_unknown_pools\{.*\} 0$/m.test(metrics)
  })
}

test('default: reserves are 0 until a node returns them, in the same run or after a restart, and correct from then on', async () => {
  const base = await deploySilent()
  const { weth } = node.deployment
  const pool = { base, quote: weth, fee: 3000 }
  const address = await openPoolV3(node, pool, { base: 10n ** 22n, quote: 10n ** 19n })
  const { number } = await node.readHead()
  const target = { ...pool, address, venue: 'v3', lp: node.wallets.deployer } as const
  for (let i = 0; i < 3; i++) await swap(node, target, node.wallets.traders[i]!, weth, 10n ** 16n)
  const atTrades = await readChain(address, base)
  for (let block = 0; block < 40; block++) await node.mine()

  // The proxy has no state at all, not even of its head.
  const blind = await configure(-1, number + 1)
  expect(await runProgram(['backfill', '--config', blind]).ended).toBe(0)
  expect(proxies[0]!.counts.get('pruned')).toBeGreaterThan(0)
  const { tables } = await readStored(dataDir, node.profile)
  const swaps = tables.swaps!.map((row) => JSON.parse(row) as Record<string, unknown>)
  expect(swaps).toHaveLength(3)
  for (const row of swaps) expect(row).toMatchObject({ reserve0: null, reserve1: null })

  service = await startService(dataDir, await configure(20, number + 1))
  await untilKnown()
  const [reserve0, reserve1] = atTrades
  const init = { init_reserve0: reserve0, init_reserve1: reserve1 }
  await until('reserves are known', async () => (await readPair(address)).reserve0 !== '0')
  expect(await readPair(address)).toMatchObject({ reserve0, reserve1, ...init })
  await swap(node, target, node.wallets.traders[5]!, weth, 10n ** 16n)
  const [next0, next1] = await readChain(address, base)
  await until('the trade is reported', async () => (await readPair(address)).reserve0 !== reserve0)
  expect(await readPair(address)).toMatchObject({ reserve0: next0, reserve1: next1, ...init })
})

test('behavior: a pool that only traded in the past is known as soon as the head is reached', async () => {
  const base = await deploySilent()
  const { weth } = node.deployment
  const pool = { base, quote: weth, fee: 3000 }
  const address = await openPoolV3(node, pool, { base: 10n ** 22n, quote: 10n ** 19n })
  const { number } = await node.readHead()
  const target = { ...pool, address, venue: 'v3', lp: node.wallets.deployer } as const
  await swap(node, target, node.wallets.traders[0]!, weth, 10n ** 16n)
  for (let block = 0; block < 40; block++) await node.mine()
  service = await startService(dataDir, await configure(20, number + 1))
  await untilKnown()
  await until('reserves are known', async () => (await readPair(address)).reserve0 !== '0')
  const [reserve0, reserve1] = await readChain(address, base)
  expect(await readPair(address)).toMatchObject({ reserve0, reserve1 })
  expect(proxies[0]!.counts.get('pruned')).toBeGreaterThan(0)
})
