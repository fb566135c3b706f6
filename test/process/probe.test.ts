// probe and decode against a real node, plain and behind a provider that limits it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeFile } from '../../packages/server/src/app/decodeFile.ts'
import { type ProbeReport, probe } from '../../packages/server/src/app/evm/probe/probe.ts'
import { startChaosRpc } from '../support/chaosRpc.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { cliOf } from '../support/fakeCli.ts'

let node: DevNode
beforeAll(async () => {
  node = await startDevNode({ market: true })
  for (let block = 0; block < 6; block++) await node.mineMarket()
})
afterAll(() => node.stop())

async function probed(url: string): Promise<ProbeReport> {
  const { code, out, err } = await cliOf({ probe }).run('probe', url, '--blocks', '6', '--json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as ProbeReport
}

test('default: what a node is and can do, and the swaps of its newest blocks', async () => {
  const { node: found, chain, sample } = await probed(node.rpcUrl)
  const head = await node.readHead()
  expect(found).toMatchObject({
    chain_id: Number(await node.request('eth_chainId', [])),
    head: { number: head.number, time_s: head.timestampS },
    archive: true,
    log_range_blocks: head.number + 1,
    batches: true,
  })
  // No preset is of a chain of tests.
  expect(chain).toBeNull()
  expect(sample).toMatchObject({ to_block: head.number, from_block: head.number - 5 })
  expect(sample!.swaps).toBeGreaterThan(0)
  expect(Object.values(sample!.venues).reduce((sum, count) => sum + count, 0)).toBe(sample!.swaps)
  // All of its DEXes are known.
  expect(sample!.unclaimed).toEqual({
    logs: 0,
    share: 0,
    share_of_transactions: 0,
    by: [],
    topics: [],
  })
  const { out } = await cliOf({ probe }).run('probe', node.rpcUrl)
  expect(out).toMatch(/^blocks of logs at once +\d+$/m)
  expect(out).toContain('Logs that look like swaps and that no venue reads: 0,')
})

test('behavior: a provider’s limits are found, and what is decoded is the same', async () => {
  const rates = { delay: 0, fail: 0, limit: 0, lie: 0 }
  const limits = { rangeBlocksMax: 10, isBatchless: true, hasReceipts: true }
  const proxy = await startChaosRpc({ targetUrl: node.rpcUrl, seed: 'probe', rates, ...limits })
  try {
    const limited = await probed(proxy.url)
    expect(limited.node).toMatchObject({ log_range_blocks: 10, batches: false, receipts: true })
    const plain = await probed(node.rpcUrl)
    expect(plain.node.receipts).toBe(false)
    // Without receipts nobody says who signed.
    const anonymous = limited.sample!.examples.map((line) => ({ ...line, wallet: null }))
    expect(plain.sample!.examples.map((line) => ({ ...line, wallet: null }))).toEqual(anonymous)
    expect(plain.sample!.swaps).toBe(limited.sample!.swaps)
  } finally {
    await proxy.close()
  }
})

test('behavior: decode takes a transaction from the node', async () => {
  const { sample } = await probed(node.rpcUrl)
  const [line] = sample!.examples
  const args = ['--chain', 'local', line!.tx, '--rpc', node.rpcUrl]
  const { code, out } = await cliOf({ decodeFile }).run('decode', ...args)
  expect(code).toBe(0)
  const lines = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as { index: number; wallet: string })
  const { wallet: _, ...same } = line!
  expect(lines.find(({ index }) => index === line!.index)).toMatchObject(same)
  expect(lines[0]!.wallet).toMatch(/^0x[0-9a-f]{40}$/)
})

test('error: an address that is no node’s', async () => {
  const nowhere = await cliOf({ probe }).run('probe', 'http://127.0.0.1:1')
  expect([nowhere.code, nowhere.err]).toEqual([75, expect.stringContaining('PROBE_FAILED')])
  const { code, err } = await cliOf({ probe }).run('probe', 'localhost')
  expect(code).toBe(75)
  expect(err).toContain('It is no http address.')
  const blocks = await cliOf({ probe }).run('probe', 'http://127.0.0.1:1', '--blocks', '0')
  expect(blocks.code).not.toBe(0)
  expect(blocks.err).toContain('It is a whole number from 1 to 1000.')
})
