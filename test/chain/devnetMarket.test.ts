import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createPublicClient, type Hex, http, toEventSelector } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../packages/devnet/src/devnet.ts'
import { type DevNode, devNodeNowS, startDevNode } from '../support/devNode.ts'

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'devnet-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

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

test('behavior: four minutes have all that a market needs', async () => {
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

test('behavior: the same seed gives the same blocks, another seed others', async () => {
  const [first, second, other] = [
    await start({ seed: 'one' }),
    await start({ seed: 'one' }),
    await start({ seed: 'two' }),
  ]
  const hash = await mineSeconds(first, 40)
  // Readers change nothing.
  await second.request('eth_getBlockByNumber', ['pending', true])
  expect(await mineSeconds(second, 40)).toBe(hash)
  expect(await mineSeconds(other, 40)).not.toBe(hash)
})

test('behavior: bots go on after a reorg as if the blocks had never been', async () => {
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

test('behavior: a replayed journal equals an uninterrupted run', async () => {
  const dataDir = tempDir()
  const whole = await start({ seed: 'journal' })
  const before = await start({ seed: 'journal', dataDir })
  expect(await mineSeconds(before, 60)).toBe(await mineSeconds(whole, 60))
  await before.stop()
  // A process killed in the middle of a write leaves half a line.
  appendFileSync(join(dataDir, 'devnet', 'journal'), 't,00112233445566')
  const after = await start({ seed: 'ignored', dataDir })
  expect(after.isReplayed).toBe(true)
  expect(after.deployment).toEqual(before.deployment)
  expect(await after.readHead()).toEqual(await whole.readHead())
  expect(await mineSeconds(after, 60)).toBe(await mineSeconds(whole, 60))
})

test('behavior: what clients of the RPC change is replayed too', async () => {
  const dataDir = tempDir()
  const first = await start({ dataDir })
  const client = createPublicClient({ transport: http(first.rpcUrl) })
  const request = client.request as (args: {
    method: string
    params: unknown[]
  }) => Promise<unknown>
  const [from, to] = first.wallets.traders
  const id = await request({ method: 'evm_snapshot', params: [] })
  await request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x5' }] })
  await request({ method: 'evm_mine', params: [] })
  await request({ method: 'hardhat_mine', params: ['0x3'] })
  await request({ method: 'evm_revert', params: [id] })
  await request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x7' }] })
  await request({ method: 'evm_mine', params: [devNodeNowS + 100] })
  await request({ method: 'hardhat_mine', params: ['0x2', '0x5'] })
  await expect(request({ method: 'evm_setAutomine', params: [true] })).rejects.toThrow(
    'evm_setAutomine is off on a chain that is journalled.',
  )
  await first.mineMarket(devNodeNowS + 200)
  const head = await first.readHead()
  await first.stop()
  const second = await start({ dataDir })
  expect(await second.readHead()).toEqual(head)
})

test('error: a journal that does not give its own hashes starts a new chain and says so', async () => {
  const dataDir = tempDir()
  const path = join(dataDir, 'devnet', 'journal')
  const first = await start({ dataDir })
  await mineSeconds(first, 10)
  await first.stop()
  const lines = readFileSync(path, 'utf8').split('\n')
  const last = lines.findLastIndex((line) => line.startsWith('b,'))
  lines[last] = `b,${Number(lines[last]!.slice(2)) + 1}`
  writeFileSync(path, lines.join('\n'))
  const messages: string[] = []
  const second = await createDevnet({
    dataDir,
    seed: 'test',
    nowS: () => devNodeNowS + 1,
    onLog: (message) => messages.push(message),
  })
  onTestFinished(() => second.stop())
  expect(second.isReplayed).toBe(false)
  expect(second.genesisHash).not.toBe(first.genesisHash)
  expect(messages[0]).toMatch(/^Replaying the journal gave 0x.* A new chain is started\.$/)
})

test('error: a journal of another format starts a new chain and says so', async () => {
  const dataDir = tempDir()
  const path = join(dataDir, 'devnet', 'journal')
  const first = await start({ dataDir })
  await first.stop()
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/"format":\d+/, '"format":1'))
  const second = await start({ dataDir, nowS: devNodeNowS + 1 })
  expect(second.isReplayed).toBe(false)
  expect(second.genesisHash).not.toBe(first.genesisHash)
  expect(second.messages[0]).toMatch(/^The journal has format 1, .* A new chain is started\.$/)
})
