// Creation times of pools and tokens, and share supplies of pools, which the whole program finds by
// itself.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { runProgram } from '../support/program.ts'
import { type Service, startService } from '../support/service.ts'
import { readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let service: Service | undefined
let proxy: ChaosRpc | undefined

beforeEach(async () => {
  market = await startIndexedNode({ seed: 'creations', blocks: 4 })
})

afterEach(async () => {
  await service?.kill()
  await proxy?.close()
  await market.stop()
})

const searching = { creation_searches_max: 100 }

/** Address and creation time of each trusted pair that is not a curve. */
async function creationsOf(dataDir: string): Promise<Map<string, number>> {
  const { tables } = await readStored(dataDir, market.node.profile)
  type Pair = { address: string; kind: string; is_trusted: boolean; created_at_s: number }
  const pairs = tables.pairs!.map((row) => JSON.parse(row) as Pair)
  const counted = pairs.filter((pair) => pair.is_trusted && pair.kind !== 'curve')
  return new Map(counted.map((pair) => [pair.address, pair.created_at_s]))
}

async function createdAt(address: string): Promise<number> {
  const response = await service!.get(`/v2/pairs/${address}-${market.node.profile.name}`)
  return ((await response.json()) as { created_at: number }).created_at
}

test('default: pools from before the first indexed block get the creation times that a full backfill stores', async () => {
  const { number } = await market.node.readHead()
  const whole = await market.createConfig()
  expect(await runProgram(['backfill', '--config', whole.config]).ended).toBe(0)
  const seen = await creationsOf(whole.dataDir)
  const { dataDir, config } = await market.createConfig(searching, { start_block: number })
  service = await startService(dataDir, config)
  const pools: string[] = []
  await until('creations are found', async () => {
    await mineWhenFollowed()
    for (const [address, atS] of seen)
      if (!pools.includes(address) && (await createdAt(address)) === atS) pools.push(address)
    return pools.length >= 3
  })
  expect(await service.stop()).toBe(0)
  const found = await creationsOf(dataDir)
  for (const pool of pools) expect(found.get(pool)).toBe(seen.get(pool))
  for (const [address, atS] of found) expect([0, seen.get(address)]).toContain(atS)
  service = await startService(dataDir, config)
  expect(await createdAt(pools[0]!)).toBe(seen.get(pools[0]!))
})

/**
 * Late facts are reported with the next block. Mines it only when the service has caught up: a node
 * with few states must still have the state of the service's head.
 */
async function mineWhenFollowed(): Promise<void> {
  const { number } = await market.node.readHead()
  if ((await service!.chainHealth()).head_block === number) await market.mine(1)
}

const hex = (number: number) => `0x${number.toString(16)}`
const ask = <answer>(method: string, ...params: unknown[]) =>
  market.node.request(method, params) as Promise<answer>

async function timeOf(block: string): Promise<number> {
  return Number((await ask<{ timestamp: string }>('eth_getBlockByNumber', block, false)).timestamp)
}

/** The block in which a contract was created, found by asking for its code block by block. */
async function madeIn(address: string): Promise<string> {
  let number = 0
  while ((await ask('eth_getCode', address, hex(number))) === '0x') number += 1
  return hex(number)
}

// Transfer(address,address,uint256), and Deposit(address,uint256) of the wrapped coin.
const moves = [
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
]

async function movedFirstIn(address: string): Promise<string> {
  const filter = { address, topics: [moves], fromBlock: '0x0', toBlock: 'latest' }
  return (await ask<{ blockNumber: string }[]>('eth_getLogs', filter))[0]!.blockNumber
}

type Detail = {
  data: {
    token: { symbol: string; created_at: number }
    pairs: { pair: string; amm: string; total_supply: string }[]
  }
}

const detailOf = async (address: string) =>
  (await (await service!.get(`/v2/tokens/${address}-${market.node.profile.name}`)).json()) as Detail

async function totalOf(pair: string): Promise<string> {
  const total = BigInt(await ask<string>('eth_call', { to: pair, data: '0x18160ddd' }, 'latest'))
  const digits = total.toString().padStart(19, '0')
  const text = `${digits.slice(0, -18)}.${digits.slice(-18)}`
  return text.replace(/\.?0+$/, '')
}

test.each([
  ['a node with all states', noChaos, {}, madeIn],
  ['a node that keeps few', noChaos, { stateBlocksMax: 8 }, movedFirstIn],
])(
  'behavior: on %s tokens get their creation and pools their shares without a request',
  async (_, rates, faults, find) => {
    const { rpcUrl, profile } = market.node
    proxy = await startChaosRpc({ targetUrl: rpcUrl, seed: 'creations', rates, ...faults })
    const { dataDir, config } = await market.createConfig(
      { ...searching, share_reads_max: 10 },
      { rpc: [{ http_url: proxy.url }] },
    )
    service = await startService(dataDir, config)
    const tokens = [profile.native.wrappedToken, ...profile.stables]
    const expected = new Map<string, number>()
    for (const token of tokens) expected.set(token, await timeOf(await find(token)))
    await until('creations are found', async () => {
      await mineWhenFollowed()
      const details = await Promise.all(tokens.map(detailOf))
      // A token that is not known yet has no row.
      return details.every(({ data }) => data.token.created_at > 0)
    })
    for (const token of tokens)
      expect((await detailOf(token)).data.token.created_at).toBe(expected.get(token))
    await until('share supplies equal those of the pools', async () => {
      const { pairs } = (await detailOf(profile.native.wrappedToken)).data
      const ofV2 = pairs.filter(({ amm }) => amm === 'uniswapv2')
      const totals = await Promise.all(ofV2.map(({ pair }) => totalOf(pair)))
      if (ofV2.length > 0 && ofV2.every((pair, at) => pair.total_supply === totals[at])) return true
      await mineWhenFollowed()
      return false
    })
  },
)
