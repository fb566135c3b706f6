import { type Address, type Hex, toEventSelector } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../packages/devnet/src/devnet.ts'
import { readHead } from '../../packages/devnet/src/node/head.ts'
import { type DevNode, devNodeNowS, startDevNode } from '../support/devNode.ts'

const swapTopics = {
  v2: toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'),
  v3: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  curve: toEventSelector(
    'Trade(address,address,bool,uint256,uint256,uint256,uint256,uint256,uint256)',
  ),
  created: toEventSelector('TokenCreated(address,address,uint256,uint256)'),
  graduated: toEventSelector('Graduated(address,address,uint256,uint256)'),
}

async function mineSeconds(node: DevNode, seconds: number): Promise<string> {
  let hash = ''
  const { timestampS } = await node.readHead()
  for (let s = 2; s <= seconds; s += 2) hash = await node.mineMarket(timestampS + s)
  return hash
}

async function start(options: Parameters<typeof startDevNode>[0]): Promise<DevNode> {
  const node = await startDevNode({ market: true, ...options })
  onTestFinished(() => node.stop())
  return node
}

test('behavior: four minutes contain every kind of market event', async () => {
  const node = await start({})
  const from = (await node.readHead()).number + 1
  await mineSeconds(node, 240)
  const logs = (await node.request('eth_getLogs', [
    { fromBlock: `0x${from.toString(16)}`, toBlock: 'latest' },
  ])) as { topics: Hex[]; blockNumber: Hex; address: Address }[]
  const count = (topic: Hex) => logs.filter(({ topics }) => topics[0] === topic).length
  const swaps = count(swapTopics.v2) + count(swapTopics.v3) + count(swapTopics.curve)
  expect(swaps / 120).toBeGreaterThan(2)
  expect(swaps / 120).toBeLessThan(5)
  for (const topic of [swapTopics.v2, swapTopics.v3, swapTopics.curve])
    expect(count(topic)).toBeGreaterThan(30)
  expect(count(swapTopics.created)).toBeGreaterThanOrEqual(4)
  expect(count(swapTopics.graduated)).toBeGreaterThanOrEqual(2)
  expect(node.messages).toEqual([])
  const traded = new Set(logs.map(({ address }) => address))
  for (const { address } of node.deployment.pools) expect(traded).toContain(address)
  const { pools, tokens } = node.deployment
  expect(tokens.map(({ decimals }) => decimals)).toEqual(expect.arrayContaining([0, 6, 9, 18]))
  expect(pools.filter(({ base }) => base === node.deployment.weth).length).toBe(4)
})

test('behavior: the same seed gives the same blocks, another seed different ones', async () => {
  const [first, second, other] = [
    await start({ seed: 'one' }),
    await start({ seed: 'one' }),
    await start({ seed: 'two' }),
  ]
  const hash = await mineSeconds(first, 40)
  // Read requests must not change the chain.
  await second.request('eth_getBlockByNumber', ['pending', true])
  expect(await mineSeconds(second, 40)).toBe(hash)
  expect(await mineSeconds(other, 40)).not.toBe(hash)
})

test('behavior: after a reorg bots behave as if the blocks had never existed', async () => {
  const node = await start({ seed: 'fork' })
  await mineSeconds(node, 20)
  const { timestampS } = await node.readHead()
  const hash = await mineSeconds(node, 20)
  await node.reorg(10)
  await node.mineMarket(timestampS + 1)
  await node.reorg(1)
  expect((await node.readHead()).timestampS).toBe(timestampS)
  expect(await mineSeconds(node, 20)).toBe(hash)
})

test('behavior: a block that a client mines without a time gets the clock’s time', async () => {
  let nowS = devNodeNowS
  const node = await createDevnet({ isMarket: false, nowS: () => nowS })
  onTestFinished(() => node.stop())
  const timeOf = async (method: string) => {
    nowS += 100
    await node.request(method)
    return (await readHead(node.request)).timestampS - nowS
  }
  expect([await timeOf('evm_mine'), await timeOf('hardhat_mine')]).toEqual([0, 0])
})
