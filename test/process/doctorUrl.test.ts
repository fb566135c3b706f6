// `doctor --url` and decode against a real node, directly and behind a provider with limits.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeFile } from '../../packages/server/src/ops/decodeFile.ts'
import { checkUrl } from '../../packages/server/src/ops/doctor/doctor.ts'
import type { EvmSample } from '../../packages/server/src/ops/doctor/evm/checkEvmUrl.ts'
import type { UrlReport } from '../../packages/server/src/ops/doctor/finding.ts'
import { startChaosRpc } from '../support/chaosRpc.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createTestCli } from '../support/testCli.ts'

let node: DevNode
beforeAll(async () => {
  node = await startDevNode({ market: true })
  for (let block = 0; block < 6; block++) await node.mineMarket()
})
afterAll(() => node.stop())

/** Runs the check. Returns the texts of its findings by check. */
async function checked(url: string) {
  const args = ['doctor', '--url', url, '--blocks', '6', '--json']
  const { code, out, err } = await createTestCli({ checkUrl }).run(...args)
  expect([code, err]).toEqual([0, ''])
  const report = JSON.parse(out) as UrlReport<EvmSample>
  return { ...report, texts: new Map(report.findings.map(({ check, text }) => [check, text])) }
}

test('default: a node’s identity and abilities, and the swaps of its newest blocks', async () => {
  const { texts, chain, sample } = await checked(node.rpcUrl)
  const head = await node.readHead()
  expect(texts.get('chain id')).toBe(`${Number(await node.request('eth_chainId', []))}.`)
  expect(texts.get('head')).toContain(`Block ${head.number}, `)
  expect(texts.get('archive')).toBe('Has the state of every block.')
  expect(texts.get('log range')).toBe(`${head.number + 1} blocks at once, or more.`)
  expect(texts.get('batches')).toBe('Accepts several calls per request.')
  expect(texts.get('socket')).toBe('Answers.')
  expect(texts.get('chain')).toContain('which has no preset')
  // No preset matches the test chain.
  expect(chain).toBeNull()
  expect(sample).toMatchObject({ to_block: head.number, from_block: head.number - 5 })
  expect(sample!.swaps).toBeGreaterThan(0)
  expect(Object.values(sample!.venues).reduce((sum, count) => sum + count, 0)).toBe(sample!.swaps)
  // All DEXes of the test chain are known.
  expect(sample!.unclaimed).toEqual({
    logs: 0,
    share: 0,
    share_of_transactions: 0,
    by: [],
    topics: [],
  })
  const { out } = await createTestCli({ checkUrl }).run('doctor', '--url', node.rpcUrl)
  expect(out).toMatch(/^ {2}ok {4}decoded: Blocks \d+ to \d+: \d+ logs, \d+ swaps \(.*\)\.$/m)
  expect(out).toContain('Swap-like logs that match no venue: 0,')
  expect(out).toMatch(/^Swaps\n {2}\{/m)
})

test('behavior: a provider’s limits are found, and decoded swaps are the same', async () => {
  const rates = { delay: 0, fail: 0, limit: 0, lie: 0 }
  const limits = { rangeBlocksMax: 10, isBatchless: true, hasReceipts: true }
  const proxy = await startChaosRpc({ targetUrl: node.rpcUrl, seed: 'probe', rates, ...limits })
  try {
    const limited = await checked(proxy.url)
    expect(limited.texts.get('log range')).toBe('10 blocks at once.')
    expect(limited.texts.get('batches')).toBe('Refuses batches.')
    expect(limited.texts.get('receipts')).toBe('Returns all receipts of a block at once.')
    const plain = await checked(node.rpcUrl)
    expect(plain.texts.get('receipts')).toBe('Refuses eth_getBlockReceipts.')
    // Without receipts the signer is unknown, so wallets are not compared.
    const anonymous = limited.sample!.examples.map((line) => ({ ...line, wallet: null }))
    expect(plain.sample!.examples.map((line) => ({ ...line, wallet: null }))).toEqual(anonymous)
    expect(plain.sample!.swaps).toBe(limited.sample!.swaps)
  } finally {
    await proxy.close()
  }
})

test('behavior: decode fetches a transaction from the node', async () => {
  const { sample } = await checked(node.rpcUrl)
  const [line] = sample!.examples
  const args = ['--chain', 'local', line!.tx, '--rpc', node.rpcUrl]
  const { code, out } = await createTestCli({ decodeFile }).run('decode', ...args)
  expect(code).toBe(0)
  const lines = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as { index: number; wallet: string })
  const { wallet: _, ...same } = line!
  expect(lines.find(({ index }) => index === line!.index)).toMatchObject(same)
  expect(lines[0]!.wallet).toMatch(/^0x[0-9a-f]{40}$/)
})

test('error: a URL without a node, and mistyped options', async () => {
  const run = (...args: string[]) => createTestCli({ checkUrl }).run('doctor', '--url', ...args)
  const nowhere = await run('http://127.0.0.1:1')
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('DOCTOR_FAILED')])
  expect(nowhere.out).toMatch(/^ {2}fail {2}connection: /m)
  const mistyped = await run('localhost')
  expect(mistyped.code).not.toBe(0)
  expect(mistyped.err).toContain('It must be an HTTP address')
  const blocks = await run('http://127.0.0.1:1', '--blocks', '0')
  expect(blocks.code).not.toBe(0)
  expect(blocks.err).toContain('It is a whole number from 1 to 1000.')
})
