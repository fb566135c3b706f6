import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  stringToHex,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { factoryV2Abi } from '../../packages/devnet/src/contracts/abi.ts'
import { loadUniswap } from '../../packages/devnet/src/contracts/artifacts.ts'
import { createEvmRpc } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { findFirstBlock } from '../../packages/server/src/resolve/evm/findFirstBlock.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createMemoryPipeline, type MemoryPipeline } from '../support/memoryPipeline.ts'
import {
  addLiquidity,
  createPair,
  deployContract,
  deployToken,
  openPoolV3,
  read,
  swap,
  transact,
  transfer,
} from '../support/simulate.ts'

// Longer than any test: a node may answer a token's transfers slowly.
const transferScanWaitMs = 3_600_000
let node: DevNode
let pipeline: MemoryPipeline

beforeAll(async () => {
  node = await startDevNode()
  pipeline = createMemoryPipeline({ node, transferScanWaitMs })
})

afterAll(async () => {
  pipeline.close()
  await node.stop()
})

/** Deploys a contract from its published artifact. */
async function deployUniswap({ abi, bytecode }: { abi: Abi; bytecode: Hex }, args: unknown[]) {
  const data = encodeDeployData({ abi, bytecode, args })
  const { deployer: from } = node.wallets
  const hash = await node.send({ from, to: undefined, data, value: 0n, gas: 7_000_000 })
  await node.mine()
  const receipt = (await node.request('eth_getTransactionReceipt', [hash])) as {
    contractAddress: string
  }
  return receipt.contractAddress.toLowerCase() as Address
}

test('behavior: metadata in bytes32 and hostile metadata', async () => {
  const word = (text: string) => stringToHex(text, { size: 32 })
  const old = await deployContract(node, 'Bytes32Token', [
    word('Old Maker'),
    word('OMK'),
    10n ** 24n,
  ])
  const hostile = await deployContract(node, 'HostileToken', [10n ** 24n, 10_000n])
  const { weth } = node.deployment
  await createPair(node, old, weth)
  await createPair(node, hostile, weth)
  await pipeline.follow({ isLive: true })
  const { tokens } = pipeline.rows
  expect(tokens.get(old)).toMatchObject({ symbol: 'OMK', name: 'Old Maker', isUnreadable: false })
  const { symbol, name, decimals, isUnreadable } = tokens.get(hostile)!
  expect({ symbol, decimals, isUnreadable }).toEqual({
    symbol: 'EVIL<b> [31mX',
    decimals: 18,
    isUnreadable: false,
  })
  expect(name).toMatch(/^[A-Z]{90,100}$/)
})

test('behavior: a contract that is not a token does not prevent a pool', async () => {
  // The multicall contract has no token functions.
  const { multicall3, weth } = node.deployment
  const pair = await createPair(node, multicall3, weth)
  await pipeline.follow({ isLive: true })
  expect(pipeline.rows.pairs.get(pair)).toMatchObject({ isTrusted: true })
  expect(pipeline.rows.tokens.get(multicall3)).toMatchObject({
    symbol: '',
    name: '',
    decimals: 0,
    isUnreadable: true,
  })
})

test('behavior: a pool of an unknown factory is recognized and not trusted', async () => {
  const { deployer } = node.wallets
  const { weth } = node.deployment
  const { factoryV2, pair } = loadUniswap()
  const token = await deployToken(node, { symbol: 'UNK' })
  const factory = await deployUniswap(factoryV2, [deployer])
  const create = encodeFunctionData({
    abi: factoryV2Abi,
    functionName: 'createPair',
    args: [token, weth],
  })
  await transact(node, { from: deployer, to: factory, data: create, gas: 4_000_000 })
  const address = await read<Address>(node, factory, factoryV2Abi, 'getPair', [token, weth])
  const pool = address.toLowerCase() as Address
  await pipeline.follow({ isLive: true })
  expect(pipeline.rows.pairs.has(pool)).toBe(false)

  const sync = encodeFunctionData({ abi: pair.abi, functionName: 'sync' })
  await transfer(node, token, deployer, pool, 10n ** 20n)
  await transact(node, { from: deployer, to: pool, data: sync })
  await pipeline.follow({ isLive: true })
  expect(pipeline.rows.pairs.get(pool)).toMatchObject({
    kind: 'constantProduct',
    factory,
    amm: 'unknown',
    isTrusted: false,
  })
  const { id } = pipeline.rows.tokens.get(token)!
  expect(pipeline.rows.supplies.get(id)).toMatchObject({ holders: 2, isComplete: true })
  expect(pipeline.rows.balances.get(`${id} ${pool}`)).toBe(10n ** 20n)
})

test('behavior: pools from before the first indexed block are confirmed by their factories', async () => {
  const { deployer, traders } = node.wallets
  const { weth } = node.deployment
  const base = await deployToken(node, { symbol: 'LATE' })
  const pool = { base, quote: weth }
  const amounts = { base: 10n ** 22n, quote: 10n ** 19n }
  await addLiquidity(node, pool, amounts)
  const poolV3 = await openPoolV3(node, { ...pool, fee: 3000 }, amounts)
  await transfer(node, base, deployer, traders[3]!, 5n)
  const { number } = await node.readHead()
  const late = createMemoryPipeline({ node, startBlock: number + 1, transferScanWaitMs })
  try {
    const target = {
      address: poolV3,
      venue: 'v3',
      fee: 3000,
      base,
      quote: weth,
      lp: deployer,
    } as const
    await swap(node, target, traders[0]!, weth, 10n ** 16n)
    await swap(node, { ...target, venue: 'v2' }, traders[0]!, weth, 10n ** 16n)
    await late.follow({ isLive: true })
    const pairs = [...late.rows.pairs.values()]
    expect(pairs).toMatchObject([
      { address: poolV3, kind: 'concentrated', amm: 'uniswapv3', isTrusted: true, feePpm: 3000 },
      { kind: 'constantProduct', amm: 'uniswapv2', isTrusted: true, feePpm: null },
    ])
    const { id } = late.rows.tokens.get(base)!
    expect(late.rows.supplies.get(id)).toMatchObject({ isComplete: true, total: 10n ** 27n })
    expect(late.rows.balances.get(`${id} ${traders[3]}`)).toBe(5n)
    expect(late.ledger.stats().contradictionCount).toBe(0)
  } finally {
    late.close()
  }
})

test("behavior: a contract's first block is found by its code", async () => {
  const logger = createLogger('silent')
  const rpc = createEvmRpc({
    endpoints: [{ httpUrl: node.rpcUrl }],
    timeoutMs: 10_000,
    hedgeAfterMs: 5_000,
    batchSizeMax: 50,
    logger,
  })
  for (let block = 0; block < 90; block++) await node.mine()
  const token = await deployToken(node)
  const { number: made } = await node.readHead()
  for (let block = 0; block < 30; block++) await node.mine()
  const at = await node.readHead()
  const asked = { rpc, address: token, at, firstBlock: 0 }
  // The chain's first block is close enough to be used without a search.
  expect(await findFirstBlock(asked)).toBe(0)
  const first = await findFirstBlock({ ...asked, closeBlocks: 8 })
  expect(first).toBeLessThanOrEqual(made)
  expect(first).toBeGreaterThan(0)
  const nobody = `0x${'9'.repeat(40)}`
  const query = { rpc, at, firstBlock: 0 }
  expect(await findFirstBlock({ ...query, address: nobody })).toBe(at.number + 1)
  rpc.close()
})
