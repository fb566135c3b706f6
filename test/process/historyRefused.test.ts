// The whole program on nodes that refuse the older transfers of a token: blocks are processed all
// the same.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import type { RpcCall, RpcReply } from '../support/rpcProxy.ts'
import { deployToken, openPoolV3, swap } from '../support/simulate.ts'
import { readStored } from '../support/storedMarket.ts'

let node: DevNode
let dataDir = ''
let proxy: ChaosRpc | undefined

beforeEach(async () => {
  dataDir = await createDataDir()
  node = await startDevNode()
})

afterEach(async () => {
  await proxy?.close()
  await node.stop()
  await removeDataDir(dataDir)
})

const refusal = ({ id }: RpcCall, code: number, message: string): RpcReply => {
  return { id, error: { code, message } }
}

const behaviours = {
  'never answer': () => new Promise<RpcReply>(() => {}),
  'refuse a range of one block': async (call: RpcCall) =>
    refusal(call, -32_000, 'query exceeds the range allowed for your plan'),
  'have no such method': async (call: RpcCall) =>
    refusal(call, -32_601, 'the method eth_getLogs does not exist/is not available'),
  'have pruned them': async (call: RpcCall) => refusal(call, 4_444, 'pruned history unavailable'),
} as const

test.each(Object.entries(behaviours))(
  'default: blocks are stored while nodes asked for old transfers %s',
  async (_, answer) => {
    const { weth } = node.deployment
    const { traders, deployer: lp } = node.wallets
    const base = await deployToken(node)
    const pool = { base, quote: weth, fee: 3000 }
    const address = await openPoolV3(node, pool, { base: 10n ** 22n, quote: 10n ** 19n })
    const { number } = await node.readHead()
    const target = { ...pool, address, venue: 'v3', lp } as const
    for (const trader of traders.slice(0, 5)) await swap(node, target, trader, weth, 10n ** 16n)
    const head = await node.readHead()

    const askedByToken = new Map<string, number>()
    const intercept = (call: RpcCall) => {
      const filter = call.params[0] as { address?: string } | undefined
      const isHistory = call.method === 'eth_getLogs' && typeof filter?.address === 'string'
      const isOldCode = call.method === 'eth_getCode' && typeof call.params[1] === 'string'
      if (!isHistory && !isOldCode) return undefined
      if (isHistory) askedByToken.set(filter.address!, (askedByToken.get(filter.address!) ?? 0) + 1)
      return answer(call)
    }
    const rates = noChaos
    proxy = await startChaosRpc({ targetUrl: node.rpcUrl, seed: 'history', rates, intercept })
    const config = await writeChainConfig(
      dataDir,
      { ...node, rpcUrl: proxy.url },
      { chain: { start_block: number + 1 } },
    )
    expect(await runProgram(['backfill', '--config', config]).ended).toBe(0)
    const { state, tables } = await readStored(dataDir, node.profile)
    expect(state.head).toMatchObject({ number: head.number, hash: head.hash })
    expect(tables.swaps).toHaveLength(5)
    // The service halves such a small range a few times and then gives up.
    expect(askedByToken.size).toBeGreaterThan(0)
    for (const count of askedByToken.values()) expect(count).toBeLessThan(12)
    expect(tables.supplies).toHaveLength(2)
    for (const row of tables.supplies!)
      expect(JSON.parse(row)).toMatchObject({ is_complete: false })
  },
)
