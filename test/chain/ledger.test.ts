import { afterEach, expect, test } from 'vitest'
import type { FinishedSwap } from '../../packages/server/src/model/finishedBlock.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createMemoryPipeline, type MemoryPipeline } from '../support/memoryPipeline.ts'
import { addLiquidity, deployContract, swap, transfer } from '../support/simulate.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function openNode(options: Parameters<typeof startDevNode>[0]): Promise<DevNode> {
  const node = await startDevNode(options)
  closers.push(() => node.stop())
  return node
}

function openPipeline(options: Parameters<typeof createMemoryPipeline>[0]): MemoryPipeline {
  const pipeline = createMemoryPipeline(options)
  closers.push(() => pipeline.close())
  return pipeline
}

const zero = `0x${'0'.repeat(40)}`
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const depositTopic = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const withdrawalTopic = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

async function callUint(node: DevNode, to: string, data: string): Promise<bigint> {
  return BigInt((await node.request('eth_call', [{ to, data }, 'latest'])) as string)
}

/** Asks the chain for the balance of every account that ever held a token, and compares. */
async function expectHoldersOfChain(node: DevNode, { rows }: MemoryPipeline): Promise<number> {
  let holderCount = 0
  for (const { id, address } of rows.tokens.values()) {
    const topics = [[transferTopic, depositTopic, withdrawalTopic]]
    const filter = { address, topics, fromBlock: '0x0', toBlock: 'latest' }
    const logs = (await node.request('eth_getLogs', [filter])) as { topics: string[] }[]
    const wallets = new Set(logs.flatMap(({ topics: [, ...words] }) => words.map(addressOf)))
    wallets.delete(zero)
    let holders = 0
    for (const wallet of wallets) {
      const onChain = await callUint(
        node,
        address,
        `0x70a08231${wallet.slice(2).padStart(64, '0')}`,
      )
      expect([address, wallet, rows.balances.get(`${id} ${wallet}`) ?? 0n]).toEqual([
        address,
        wallet,
        onChain,
      ])
      if (onChain > 0n) holders++
    }
    const total = await callUint(node, address, '0x18160ddd')
    expect(rows.supplies.get(id)).toMatchObject({ holders, total, isComplete: true })
    holderCount += holders
  }
  return holderCount
}

function addressOf(word: string): string {
  return `0x${word.slice(26)}`
}

/** Checks that reserves after each pool's last event equal what the chain returns now. */
async function expectReservesOfChain(node: DevNode, { rows, results }: MemoryPipeline) {
  const addressById = new Map([...rows.tokens.values()].map(({ id, address }) => [id, address]))
  let poolCount = 0
  for (const pair of rows.pairs.values()) {
    if (pair.kind !== 'concentrated') continue
    const last = results
      .flatMap(({ block }) => block.events)
      .findLast((event) => 'reserve0' in event && event.pairId === pair.id)
    if (!last || !('reserve0' in last)) continue
    poolCount++
    const data = `0x70a08231${pair.address.slice(2).padStart(64, '0')}`
    expect(last.reserve0).toBe(await callUint(node, addressById.get(pair.token0Id)!, data))
    expect(last.reserve1).toBe(await callUint(node, addressById.get(pair.token1Id)!, data))
  }
  return poolCount
}

test('behavior: every balance of every token equals balanceOf, through backfill, live, reorg and restart', async () => {
  const node = await openNode({ market: true })
  const pipeline = openPipeline({ node, balancesMax: 50, recordsMax: 4 })
  const full = openPipeline({ node })
  const mine = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) await node.mineMarket()
  }
  await mine(40)
  await pipeline.follow({ isLive: false })
  await mine(30)
  await pipeline.follow({ isLive: true })
  expect(await expectHoldersOfChain(node, pipeline)).toBeGreaterThan(100)
  expect(await expectReservesOfChain(node, pipeline)).toBeGreaterThan(0)

  const { number } = await node.readHead()
  await node.reorg(12)
  await mine(15)
  await pipeline.follow({ isLive: true })
  await expectHoldersOfChain(node, pipeline)
  pipeline.restart()
  await mine(5)
  await pipeline.follow({ isLive: true })
  await node.reorg(7)
  await mine(9)
  expect((await node.readHead()).number).toBeGreaterThan(number)
  pipeline.restart()
  await pipeline.follow({ isLive: true })
  await expectHoldersOfChain(node, pipeline)
  await expectReservesOfChain(node, pipeline)

  await full.follow({ isLive: false })
  expect([...pipeline.rows.tokens.values()]).toEqual([...full.rows.tokens.values()])
  expect([...pipeline.rows.pairs.values()]).toEqual([...full.rows.pairs.values()])
  expect(pipeline.rows.supplies).toEqual(full.rows.supplies)
})

test('behavior: a swap reports its trader’s balances, including the native coin', async () => {
  const node = await openNode({ market: true })
  const pipeline = openPipeline({ node })
  for (let block = 0; block < 10; block++) await node.mineMarket()
  await pipeline.follow({ isLive: false })
  const pool = node.deployment.pools.find(({ venue }) => venue === 'v2')!
  const trader = node.wallets.traders[149]!
  await swap(node, { ...pool }, trader, pool.quote, 10n ** 6n)
  await pipeline.follow({ isLive: true })
  const { block } = pipeline.results.at(-1)!
  const swaps = block.events.filter((event): event is FinishedSwap => event.type === 'swap')
  expect(swaps).toHaveLength(1)
  const pair = pipeline.rows.pairs.get(pool.address)!
  const held = (tokenId: number) => pipeline.rows.balances.get(`${tokenId} ${trader}`) ?? 0n
  expect(swaps[0]).toMatchObject({
    wallet: trader,
    holding0: held(pair.token0Id),
    holding1: held(pair.token1Id),
    native: BigInt((await node.request('eth_getBalance', [trader, 'latest'])) as string),
  })
})

test('behavior: holders from before the first pool are counted, also for a token with transfer fees', async () => {
  const node = await openNode({ market: false })
  const { deployer, traders } = node.wallets
  const pipeline = openPipeline({ node })
  const token = await deployContract(node, 'FeeToken', ['Fee', 'FEE', 10n ** 24n, 300n])
  await transfer(node, token, deployer, traders[0]!, 10n ** 21n)
  await transfer(node, token, traders[0]!, traders[1]!, 10n ** 20n)
  await pipeline.follow({ isLive: true })
  expect(pipeline.rows.tokens.has(token)).toBe(false)
  const pool = { base: token, quote: node.deployment.weth }
  await addLiquidity(node, pool, { base: 10n ** 22n, quote: 10n ** 19n })
  await pipeline.follow({ isLive: true })
  await transfer(node, token, traders[1]!, traders[2]!, 10n ** 18n)
  await pipeline.follow({ isLive: true })
  expect(await expectHoldersOfChain(node, pipeline)).toBeGreaterThanOrEqual(5)
})
