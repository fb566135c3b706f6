// The whole program on a node that temporarily answers for every contract as if it were not a pool.
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  countReverts,
  type IndexedNode,
  readChainId,
  startIndexedNode,
} from '../support/indexedNode.ts'
import { runProgram } from '../support/program.ts'
import { type ProviderRpc, startProviderRpc } from '../support/providerRpc.ts'
import type { RpcCall } from '../support/rpcProxy.ts'
import { type Service, startService, untilMetrics } from '../support/service.ts'
import { expectSameMarket, readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

const chain = { start_block: 0, finality: 0 }

let market: IndexedNode
let proxy: ProviderRpc
let service: Service | undefined

beforeEach(async () => {
  market = await startIndexedNode({ seed: 'verdicts', blocks: 0, chain })
  // Starts after the pools were created, so that their contracts have to be asked what they are.
  chain.start_block = (await market.node.readHead()).number + 1
  proxy = await startProviderRpc(market.node.rpcUrl, {})
})

afterEach(async () => {
  await service?.kill()
  await proxy.close()
  await market.stop()
})

const token0Selector = '0dfe1681'

/** Returns empty data to pool queries, as for an address without a contract. */
function denyPools({ method, params }: RpcCall): unknown {
  const [call] = params as [{ data?: string }]
  return method === 'eth_call' && call.data?.includes(token0Selector) ? '0x' : undefined
}

/** Starts a service on a node that denies all pools, then lets the node answer correctly. */
async function startAfterDenial(
  finality: number,
): Promise<{ service: Service; dataDir: string; config: string }> {
  chain.finality = finality
  proxy.falsify(denyPools)
  await market.mine(12)
  const rpc = [{ http_url: proxy.url, requests_per_second_max: 100_000 }]
  const { dataDir, config } = await market.createConfig({ not_pool_ms: 1_000 }, { rpc })
  service = await startService(dataDir, config)
  await untilAtHead(service)
  await untilMetrics(
    service,
    /^chaintape_not_pools_count\{chain="local"\} [1-9]/m,
    /^chaintape_dropped_total\{.*reason="eventsOfNoPool"\} [1-9]/m,
  )
  proxy.falsify(null)
  return { service, dataDir, config }
}

async function untilAtHead({ chainHealth }: Service): Promise<void> {
  const { number } = await market.node.readHead()
  await until('the head is stored', async () => {
    const { persisted_block: persisted, state } = await chainHealth()
    return persisted === number && state === 'live'
  })
}

/**
 * Holders from before the first block are read in the background and reported with the next block.
 */
async function untilHoldersKnown(service: Service): Promise<void> {
  await untilAtHead(service)
  await untilMetrics(service, /^chaintape_open_histories_count\{chain="local"\} 0$/m)
  await market.mine(2)
  await untilAtHead(service)
}

test('default: blocks are read again, and the market is as if the node had answered correctly', async () => {
  const { service, dataDir } = await startAfterDenial(1_000)
  await until('the blocks are read again', async () => {
    await market.mine(1)
    return (await countReverts(dataDir)) > 0
  })
  await untilHoldersKnown(service)
  await until('nothing is missing', async () => {
    const { unresolved_pools: unresolved, history_missing: missing } = await service.chainHealth()
    return unresolved === 0 && missing.length === 0
  })
  expect(await service.stop()).toBe(0)
  expect(service.stderr()).toContain('Re-reading blocks: an ignored contract is a pool')
  const expected = await market.backfillFresh()
  expect(expected.tables.swaps!.length).toBeGreaterThan(20)
  expectSameMarket(await readStored(dataDir, market.node.profile), expected)
})

test('behavior: missing trades in final blocks are reported, and the chain is read again behind its head', async () => {
  const { service, dataDir, config } = await startAfterDenial(1)
  // No more trades: the service must find the pools without a new event.
  await until('the pools are known', async () => {
    await market.node.mine()
    return service.stderr().includes('Trades of a pool are missing')
  })
  await until('the chain was read again', async () => {
    await market.node.mine()
    const { history_missing: missing, history_complete: isComplete } = await service.chainHealth()
    const gaps = missing.filter(({ reason }) => reason === 'pools')
    for (const { from_block: from, to_block: to, msg } of gaps) {
      expect(from).toBeGreaterThanOrEqual(chain.start_block)
      expect(to).toBeGreaterThanOrEqual(from!)
      expect(msg).toMatch(/^Trades of the pool 0x[0-9a-f]{40} in blocks \d+ to \d+ are missing/)
      expect(msg).toContain('The chain is read again for them.')
    }
    return isComplete && (await readChainId(dataDir, 'local')) > 1
  })
  await untilAtHead(service)
  await untilHoldersKnown(service)
  expect(await countReverts(dataDir)).toBe(0)
  expect(await service.stop()).toBe(0)
  const expected = await market.backfillFresh()
  expect(expected.tables.swaps!.length).toBeGreaterThan(20)
  expectSameMarket(await readStored(dataDir, market.node.profile), expected)

  const again = ['backfill', '--config', config, '--chain', 'local', '--again']
  expect(await runProgram(again).ended).toBe(0)
  expectSameMarket(await readStored(dataDir, market.node.profile), expected)
})
