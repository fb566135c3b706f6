// Balances and code of addresses from a real node, read by code that runs in eth_call without being
// deployed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMulticall } from '../../packages/server/src/chain/evm/calls/multicall.ts'
import { readHoldings, readWallets } from '../../packages/server/src/chain/evm/calls/readWallets.ts'
import { createEvmRpc, type EvmRpc } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import { createWalletReads } from '../../packages/server/src/chain/walletReads.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'

let node: DevNode
let rpc: EvmRpc
let methods: string[] = []

beforeAll(async () => {
  node = await startDevNode()
  rpc = createEvmRpc({
    endpoints: [{ httpUrl: node.rpcUrl }],
    timeoutMs: 10_000,
    hedgeAfterMs: 5_000,
    batchSizeMax: 50,
    logger: createLogger('silent'),
    onMetric: (metric) => {
      if (metric.type === 'request') methods.push(metric.method)
    },
  })
})

afterAll(async () => {
  rpc.close()
  await node.stop()
})

test('default: one call returns what single requests return', async () => {
  const { deployer, traders } = node.wallets
  const { weth, routerV2, factoryV2 } = node.deployment
  const unknown = `0x${'9'.repeat(40)}`
  const addresses = [deployer, ...traders, weth, routerV2, factoryV2, unknown]
  const limits = { timeoutMs: 60_000 }
  const reads = createWalletReads({
    readWallets: (asked, signal) => readWallets(rpc, asked, signal),
    readHoldings: async () => new Map(),
    limits,
    clock: { nowMs: Date.now },
  })
  const facts = await reads.read(addresses)
  expect(methods).toEqual(['eth_call'])
  methods = []
  for (const address of addresses) {
    const balance = (await node.request('eth_getBalance', [address, 'latest'])) as string
    const code = (await node.request('eth_getCode', [address, 'latest'])) as string
    const expected = { nativeRaw: BigInt(balance), isContract: code !== '0x' }
    expect(facts.get(address)).toEqual(expected)
  }
  expect(facts.get(weth)!.isContract).toBe(true)
  expect(facts.get(deployer)!.nativeRaw).toBeGreaterThan(0n)
})

test('behavior: balances of a token after a block, as single requests return them', async () => {
  const { traders } = node.wallets
  const { weth, multicall3, routerV2 } = node.deployment
  const wallets = [...traders, routerV2]
  const number = Number(await node.request('eth_blockNumber', []))
  const multicall = createMulticall({ rpc, address: multicall3 })
  const { signal } = new AbortController()
  const holdings = await readHoldings(multicall, { token: weth, wallets, number }, signal)
  for (const wallet of wallets) {
    const data = `0x70a08231${wallet.slice(2).padStart(64, '0')}`
    const said = await node.request('eth_call', [{ to: weth, data }, `0x${number.toString(16)}`])
    expect(holdings.get(wallet)).toBe(BigInt(said as string))
  }
  // This contract is not a token and returns nothing.
  const none = await readHoldings(multicall, { token: routerV2, wallets, number }, signal)
  expect(none.size).toBe(0)
})
