// A market that knows many tokens and pairs of which few trade: what each part of it holds in memory, what a snapshot of it
// takes, and how long writing and reading one is. Each figure is of a process of its own.
// `npm run bench -- known --pairs 5000000 --tokens 10000000`
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BlockHistory } from '../packages/server/src/engine/blockHistory.ts'
import { MarketState } from '../packages/server/src/engine/marketState.ts'
import { Catalog } from '../packages/server/src/engine/search/catalog.ts'
import { SearchIndex } from '../packages/server/src/engine/search/searchIndex.ts'
import { decodeState, encodeState } from '../packages/server/src/engine/snapshot/snapshot.ts'
import type { FinishedBlock, FinishedEvent } from '../packages/server/src/model/finishedBlock.ts'
import type { PairRecord } from '../packages/server/src/model/pair.ts'
import type { TokenRecord, TokenSupply } from '../packages/server/src/model/token.ts'
import { generatorProfile } from '../test/support/blockGenerator.ts'
import { pairDefaults } from '../test/support/pairDefaults.ts'
import { type BenchTable, countText } from './benchTable.ts'

export type KnownSizes = { pairs: number; tokens: number; active: number }

const profile = { ...generatorProfile, reorgDepthMax: 0 }
const perBlock = 1_000
const swapsPerBlock = 250
const daySeconds = 86_400
const startS = 1_700_000_000
// Every market has hundreds of these: the long lists of the search.
const commonWords = ['pepe', 'doge', 'inu', 'elon', 'moon', 'cat', 'ai', 'trump', 'baby', 'meme']

/** Numbers that follow from an id and a lane: nothing of what is made needs to be kept. */
function mixed(id: number, lane: number): number {
  let value = Math.imul(id + 1, 0x9e3779b1) ^ Math.imul(lane + 1, 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b)
  return (value ^ (value >>> 16)) >>> 0
}

function addressOf(id: number, lane: number): string {
  let text = '0x'
  for (let word = 0; word < 5; word += 1)
    text += mixed(id, lane + word)
      .toString(16)
      .padStart(8, '0')
  return flat(text)
}

/** As texts come off the log, not as the pieces they were put together of. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

function letters(id: number, lane: number, length: number): string {
  let text = ''
  for (let at = 0; at < length; at += 1)
    text += String.fromCharCode(97 + (mixed(id, lane + at) % 26))
  return text
}

function common(id: number, lane: number): string {
  return commonWords[mixed(id, lane) % commonWords.length]!
}

/** The first three are what others are traded for. */
function tokenOf(id: number): TokenRecord {
  const facts = { isUnreadable: false, seenAtS: startS }
  if (id < 3) {
    const symbol = ['WETH', 'USDC', 'USDT'][id]!
    return {
      id,
      address: `token-${id}`,
      symbol,
      name: symbol,
      decimals: id === 0 ? 18 : 6,
      ...facts,
    }
  }
  const symbol =
    mixed(id, 10) % 10 < 3
      ? common(id, 11) + letters(id, 12, (mixed(id, 14) % 2) * 2)
      : letters(id, 20, 3 + (mixed(id, 15) % 4))
  const name = `${symbol} ${mixed(id, 16) % 2 === 0 ? common(id, 17) : letters(id, 30, 6)}`
  const words = { symbol: flat(symbol.toUpperCase()), name: flat(name) }
  return { id, address: addressOf(id, 40), ...words, decimals: 18, ...facts }
}

function supplyOf(tokenId: number): TokenSupply {
  return {
    tokenId,
    total: 10n ** BigInt(24 + (tokenId % 6)),
    burnt: BigInt(mixed(tokenId, 50)) * 10n ** 12n,
    locked: 0n,
    other: 0n,
    holders: mixed(tokenId, 51) % 1_000,
    isComplete: true,
  }
}

/** Pair n trades token n + 3 for the native token; the first one trades the native token for dollars. */
function pairOf(id: number, tokens: number): PairRecord {
  return {
    id,
    address: addressOf(id, 60),
    kind: 'constantProduct',
    token0Id: id === 0 ? 0 : 3 + ((id - 1) % (tokens - 3)),
    token1Id: id === 0 ? 1 : 0,
    factory: 'factory',
    amm: 'uniswapv2',
    isTrusted: true,
    feePpm: 3_000,
    createdAtS: startS,
    platform: null,
    ...pairDefaults,
  }
}

function reservesOf(id: number): { reserve0: bigint; reserve1: bigint; priceRaw: number } {
  const reserve0 = id === 0 ? 10n ** 23n : 10n ** 27n + BigInt(id)
  const reserve1 = id === 0 ? 3n * 10n ** 14n : 10n ** 20n
  return { reserve0, reserve1, priceRaw: Number(reserve1) / Number(reserve0) }
}

function swapOf(index: number, pairId: number): FinishedEvent {
  const wallet = addressOf(mixed(pairId, 70) % 200_000, 80)
  return {
    type: 'swap',
    index,
    txHash: '0xabc',
    wallet,
    pairId,
    sender: wallet,
    to: wallet,
    amount0: 10n ** 22n,
    amount1: -(10n ** 15n),
    ...reservesOf(pairId),
    holding0: null,
    holding1: null,
    native: null,
    accountFlags: 0,
  }
}

function range(from: number, end: number): number[] {
  return Array.from({ length: end - from }, (_, index) => from + index)
}

/** Tokens and pairs of long ago, then a day in which some trade. */
function populate(state: MarketState, { pairs, tokens, active }: KnownSizes): void {
  const history = new BlockHistory(state)
  let number = 0
  const commit = (timeS: number, parts: Partial<FinishedBlock>) => {
    const parent = { parentNumber: number - 1, parentHash: `h${number - 1}` }
    const ref = { number, hash: `h${number}`, ...parent, timeS }
    const none = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null, receivedMs: 0 }
    history.commit({ ref, ...none, ...parts })
    number += 1
  }
  for (let from = 0; from < tokens; from += perBlock) {
    const ids = range(from, Math.min(from + perBlock, tokens))
    commit(startS, { tokens: ids.map(tokenOf), supplies: ids.map(supplyOf) })
  }
  for (let from = 0; from < pairs; from += perBlock) {
    const ids = range(from, Math.min(from + perBlock, pairs))
    commit(startS, {
      pairs: ids.map((id) => pairOf(id, tokens)),
      events: ids.map((pairId, index) => ({ type: 'sync', index, pairId, ...reservesOf(pairId) })),
    })
  }
  const traded = Math.min(active, pairs)
  for (let from = 0; from < traded; from += swapsPerBlock) {
    const timeS = startS + 2 * daySeconds + Math.floor((from / traded) * (daySeconds - 60))
    const ids = range(from, Math.min(from + swapsPerBlock, traded))
    commit(timeS, { events: ids.map((id, index) => swapOf(index, id)) })
  }
}

type Memory = { rss: number; used: number }

function memory(): Memory {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  gc()
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
  return { rss, used: heapUsed + arrayBuffers }
}

function pageBytes(pages: readonly Float64Array[]): number {
  return pages.reduce((sum, page) => sum + page.byteLength, 0)
}

/** What was used since, with all that `make` gives still there. */
function usedBy(make: () => unknown): number {
  const before = memory().used
  const made = make()
  const used = memory().used - before
  // It must not be collected before it is measured.
  return made === undefined ? 0 : used
}

/** What a process of its own is asked for. */
const measurements = {
  /** Also writes a snapshot, which another process reads. */
  market({ sizes, file }: { sizes: KnownSizes; file: string }) {
    const start = memory()
    const state = new MarketState({ profile })
    populate(state, sizes)
    const end = memory()
    const rows = Object.fromEntries(
      state.tables().map(({ name, pages }) => [name, pageBytes(pages)]),
    )
    const startMs = performance.now()
    const bytes = encodeState(state)
    const saveMs = performance.now() - startMs
    writeFileSync(file, bytes)
    const { pairs: pairRows = 0, tokens: tokenRows = 0 } = rows
    const allRows = Object.values(rows).reduce((sum, each) => sum + each, 0)
    return {
      rss: end.rss,
      used: end.used - start.used,
      pairRows,
      tokenRows,
      otherRows: allRows - pairRows - tokenRows,
      snapshotBytes: bytes.length,
      saveMs,
      peakRss: process.resourceUsage().maxRSS * 1_024,
    }
  },
  catalog: ({ sizes }: { sizes: KnownSizes }) => {
    const tokens = new Catalog(profile)
    const ofTokens = usedBy(() => {
      for (let id = 0; id < sizes.tokens; id += 1) tokens.addToken(tokenOf(id))
      return tokens
    })
    const ofSupplies = usedBy(() => {
      for (let id = 0; id < sizes.tokens; id += 1) tokens.supplies.set(supplyOf(id), null)
      return tokens
    })
    const ofPairs = usedBy(() => {
      for (let id = 0; id < sizes.pairs; id += 1) tokens.addPair(pairOf(id, sizes.tokens))
      return tokens
    })
    return { ofTokens, ofSupplies, ofPairs }
  },
  search: ({ sizes }: { sizes: KnownSizes }) =>
    usedBy(() => {
      const index = new SearchIndex()
      for (let id = 0; id < sizes.tokens; id += 1) index.add(id, tokenOf(id))
      return index
    }),
  restart({ file }: { sizes: KnownSizes; file: string }) {
    const startMs = performance.now()
    const state = new MarketState({ profile })
    decodeState(state, readFileSync(file))
    const loadMs = performance.now() - startMs
    const { rss } = memory()
    // Read after it, so that the state is still there.
    const tokenCount = state.tokens.count - 1
    return { loadMs, rss, tokenCount, peakRss: process.resourceUsage().maxRSS * 1_024 }
  },
}

type Measurements = typeof measurements
type Question = { sizes: KnownSizes; file: string }

async function measuredApart<name extends keyof Measurements>(
  name: name,
  question: Question,
): Promise<ReturnType<Measurements[name]>> {
  const child = fork(fileURLToPath(import.meta.url), [name, JSON.stringify(question)], {
    execArgv: ['--import', 'tsx', '--max-old-space-size=12000'],
  })
  const [answer] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The process for ${name} ended with ${code}.`)
    }),
  ])
  return answer
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, question] = process.argv.slice(2)
  process.send?.(measurements[name as keyof Measurements](JSON.parse(question!)))
}

export async function runKnownBench(sizes: KnownSizes): Promise<BenchTable> {
  const directory = mkdtempSync(join(tmpdir(), 'known-'))
  const question = { sizes, file: join(directory, 'snapshot') }
  try {
    const catalog = await measuredApart('catalog', question)
    const search = await measuredApart('search', question)
    const market = await measuredApart('market', question)
    const restart = await measuredApart('restart', question)
    return tableOf(sizes, { catalog, search, market, restart })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

type Answers = { [name in keyof Measurements]: ReturnType<Measurements[name]> }

function tableOf(sizes: KnownSizes, { catalog, search, market, restart }: Answers): BenchTable {
  const mib = (bytes: number) => `${countText(bytes / 2 ** 20)} MiB`
  const each = (bytes: number, count: number) => `${mib(bytes)}, ${countText(bytes / count)} B each`
  const { pairs, tokens, active } = sizes
  return {
    name: `known: ${countText(pairs)} pairs, ${countText(tokens)} tokens, ${countText(active)} active`,
    rows: [
      { metric: 'rows of pairs', value: each(market.pairRows, pairs) },
      { metric: 'rows of tokens', value: each(market.tokenRows, tokens) },
      { metric: 'other rows', value: mib(market.otherRows) },
      { metric: 'records of pairs', value: each(catalog.ofPairs, pairs) },
      { metric: 'records of tokens', value: each(catalog.ofTokens - search, tokens) },
      { metric: 'supplies', value: each(catalog.ofSupplies, tokens) },
      { metric: 'search', value: each(search, tokens) },
      { metric: 'one engine, all of it', value: mib(market.used) },
      {
        metric: 'resident; at most, with a snapshot written',
        value: `${mib(market.rss)}; ${mib(market.peakRss)}`,
      },
      {
        metric: 'snapshot',
        value: `${mib(market.snapshotBytes)}, written in ${countText(market.saveMs)} ms`,
      },
      {
        metric: 'read by a new process; resident then; at most',
        value: `${countText(restart.loadMs)} ms; ${mib(restart.rss)}; ${mib(restart.peakRss)}`,
      },
    ],
  }
}
