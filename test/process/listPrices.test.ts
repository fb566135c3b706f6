// Every token list of two chains, read after each block while tokens launch and graduate: no listed
// token may lack a price.
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GeneratedChain } from '../../packages/devnet/src/solana/generatedChain.ts'
import { solanaProfile } from '../../packages/devnet/src/solana/solanaProfile.ts'
import {
  genesisHash,
  type SolanaRpcServer,
  startSolanaRpc,
} from '../../packages/devnet/src/solana/solanaRpcServer.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { writeChainConfig } from '../support/program.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const historyBlocks = 30
const watchedBlocks = 40
/**
 * Seconds between blocks of the EVM chain: long enough for launches and graduations among the
 * watched blocks.
 */
const stepS = 10
// Starts in the past so that the newest block is at the current time, at which rolling windows end.
const startTimeS = Math.floor(Date.now() / 1_000) - 2 * (historyBlocks + watchedBlocks) * stepS

const platforms = ['tape', 'pump']
const ends = ['in_hot', 'in_new', 'in_almost', 'out_hot', 'out_new']
const tags = [
  ...platforms.flatMap((name) => ends.map((end) => `${name}_${end}`)),
  'meme',
  'hot',
  'new',
]

type Row = {
  token: string
  symbol: string
  chain: 'local' | 'solana'
  current_price_usd: string
}

let node: DevNode
let solana: GeneratedChain
let solanaNode: SolanaRpcServer
let dataDir = ''
let service: Service
/** Tokens of each list over all watched blocks, by its request. */
const seen = new Map<string, Set<string>>()
/** Number of tokens in each list before the watched blocks. */
const before = new Map<string, number>()
/** Tokens with a price of 0 by chain, with the lists and blocks where they occurred. */
const zeros = { local: new Map<string, Set<string>>(), solana: new Map<string, Set<string>>() }

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'lists', nowS: startTimeS })
  solana = new GeneratedChain({ seed: 11, startTimeS })
  await mine(historyBlocks)
  solanaNode = await startSolanaRpc(() => solana)
  dataDir = await createDataDir()
  const configFile = await writeChainConfig(dataDir, node)
  await addSolana(configFile)
  service = await startService(dataDir, configFile)
  await untilServed()
  await watchLists()
}, 300_000)

afterAll(async () => {
  await service?.kill()
  await solanaNode?.stop()
  await node?.stop()
  if (dataDir !== '') await removeDataDir(dataDir)
})

async function mine(blocks: number): Promise<void> {
  for (let left = blocks; left > 0; left--) {
    await node.mineMarket((await node.readHead()).timestampS + stepS)
    solana.mine()
  }
}

async function addSolana(configFile: string): Promise<void> {
  const config = JSON.parse(await readFile(configFile, 'utf8'))
  config.chains.solana = {
    rpc: [{ http_url: solanaNode.url, requests_per_second_max: 10_000 }],
    start_block: 0,
    holders_from_nodes: false,
    poll_ms: 20,
    genesis_hash: genesisHash,
    native_pool_usd_min: 0,
    programs: solanaProfile.venues,
  }
  await writeFile(configFile, JSON.stringify(config))
}

// biome-ignore lint/suspicious/noExplicitAny: answers are what is tested
async function ask(target: string): Promise<any> {
  const response = await service.get(target)
  const text = await response.text()
  expect(response.status, `${target}: ${text}`).toBe(200)
  return JSON.parse(text)
}

/** Waits until the newest block of both chains is applied. */
async function untilServed(): Promise<void> {
  const { number } = await node.readHead()
  await until(`blocks ${number} and ${solana.head.slot} are served`, async () => {
    const { chains } = await service.health()
    return chains.local?.head_block === number && chains.solana?.head_block === solana.head.slot
  })
}

async function rowsOf(list: string): Promise<Row[]> {
  const body = await ask(list)
  return Array.isArray(body) ? body : body.tokens
}

async function readLists(): Promise<string[]> {
  const topics = (await ask('/v2/ranks/topics')) as { id: string }[]
  return [
    ...tags.map((tag) => `/v2/tokens/platform?limit=300&tag=${tag}`),
    ...topics.map(({ id }) => `/v2/ranks?limit=300&topic=${id}`),
    ...Object.keys(zeros).map((chain) => `/v2/tokens/trending?page_size=100&chain=${chain}`),
  ]
}

async function watchLists(): Promise<void> {
  const lists = await readLists()
  for (const list of lists) {
    const tokens = new Set((await rowsOf(list)).map(({ token }) => token))
    seen.set(list, tokens)
    before.set(list, tokens.size)
  }
  for (let block = 1; block <= watchedBlocks; block++) {
    await mine(1)
    await untilServed()
    for (const list of lists)
      for (const { token, symbol, chain, current_price_usd: price } of await rowsOf(list)) {
        seen.get(list)!.add(token)
        if (Number(price) === 0) keepZero(zeros[chain], symbol, `${list} in block ${block}`)
      }
  }
}

function keepZero(of: Map<string, Set<string>>, symbol: string, place: string): void {
  of.set(symbol, (of.get(symbol) ?? new Set()).add(place))
}

/** One line per token: its first occurrence and the number of occurrences. */
const linesOf = (of: Map<string, Set<string>>) =>
  Array.from(of, ([symbol, places]) => `${symbol}: ${places.size} times, first ${[...places][0]}`)

test('default: every list has tokens, and tokens launched and graduated on both chains', () => {
  // A launch may pass from under 80 % to a full curve within one block.
  const filled = [...seen].filter(([list]) => !list.endsWith('_in_almost'))
  for (const [list, tokens] of filled) expect([list, tokens.size > 0]).toEqual([list, true])
  for (const platform of platforms)
    for (const end of ['in_new', 'out_new']) {
      const list = `/v2/tokens/platform?limit=300&tag=${platform}_${end}`
      expect([list, seen.get(list)!.size > before.get(list)!]).toEqual([list, true])
    }
})

test('behavior: no token of an EVM chain has a price of 0, from its launch through its graduation', () => {
  expect(linesOf(zeros.local)).toEqual([])
})

test('behavior: no token of Solana has a price of 0, from its launch through its graduation', () => {
  expect(linesOf(zeros.solana)).toEqual([])
})
