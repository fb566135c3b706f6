// Search over a million tokens: exact, prefix and substring keywords, against a plain scan of all
// records.
import { createEngine, type Engine } from '../packages/server/src/engine/engine.ts'
import type { TokenRecord } from '../packages/server/src/model/token.ts'
import { generatorProfile } from '../test/support/blockGenerator.ts'
import { createRandom } from '../test/support/random.ts'
import type { BenchTable } from './benchTable.ts'

const tokenCount = 1_000_000
const tokensPerBlock = 10_000
const searches = 2_000
const scans = 20
const limit = 50
// Every market has hundreds of tokens with these words: the longest lists of the search index.
const commonWords = ['pepe', 'doge', 'inu', 'elon', 'moon', 'cat', 'ai', 'trump', 'baby', 'meme']

type Random = () => number

function letters(random: Random, length: number): string {
  let text = ''
  while (text.length < length) text += String.fromCharCode(97 + Math.floor(random() * 26))
  return text
}

function pick(random: Random, from: readonly string[]): string {
  return from[Math.floor(random() * from.length)]!
}

function tokenOf(random: Random, id: number): TokenRecord {
  const isCommon = random() < 0.3
  const symbol = isCommon
    ? `${pick(random, commonWords)}${random() < 0.5 ? '' : letters(random, 2)}`
    : letters(random, 3 + Math.floor(random() * 4))
  const name = `${symbol} ${random() < 0.5 ? pick(random, commonWords) : letters(random, 6)}`
  let address = '0x'
  while (address.length < 42) address += Math.floor(random() * 16).toString(16)
  const facts = { decimals: 18, isUnreadable: false, seenAtS: 1_700_000_000 }
  return { id, address, symbol: symbol.toUpperCase(), name, ...facts }
}

function populate(engine: Engine, random: Random): TokenRecord[] {
  const records: TokenRecord[] = []
  for (let number = 1; records.length < tokenCount; number += 1) {
    const tokens = Array.from({ length: tokensPerBlock }, (_, index) =>
      tokenOf(random, records.length + index),
    )
    records.push(...tokens)
    const parent = { parentNumber: number - 1, parentHash: `h${number - 1}` }
    const ref = { number, hash: `h${number}`, ...parent, timeS: 1_700_000_000 }
    const rest = { pairs: [], events: [], supplies: [], nativeUsd: null, receivedMs: 0 }
    engine.apply({ type: 'commit', block: { ref, tokens, ...rest } })
  }
  return records
}

/** The search that one would write first. */
function scan(records: readonly TokenRecord[], keyword: string): number[] {
  const ranks: number[][] = [[], [], []]
  for (const { id, symbol, name, address } of records) {
    const terms = [symbol.toLowerCase(), name.toLowerCase(), address]
    if (terms.includes(keyword)) ranks[0]!.push(id)
    else if (terms.some((term) => term.startsWith(keyword))) ranks[1]!.push(id)
    else if (terms.some((term) => term.includes(keyword))) ranks[2]!.push(id)
  }
  return ranks.flat().slice(0, limit)
}

type Percentiles = { p50: number; p99: number; clockP99: number }

/**
 * In ms of the process's CPU time, and of wall time, which on a busy machine includes waiting for a
 * core.
 */
function percentiles(count: number, run: (index: number) => void): Percentiles {
  const cpuMs: number[] = []
  const clockMs: number[] = []
  for (let index = 0; index < count; index += 1) {
    const startMs = performance.now()
    const startCpu = process.cpuUsage()
    run(index)
    const { user, system } = process.cpuUsage(startCpu)
    cpuMs.push((user + system) / 1e3)
    clockMs.push(performance.now() - startMs)
  }
  const at = (times: number[], share: number) =>
    times.sort((a, b) => a - b)[Math.floor(count * share)]!
  return { p50: at(cpuMs, 0.5), p99: at(cpuMs, 0.99), clockP99: at(clockMs, 0.99) }
}

export async function runSearchBench(): Promise<BenchTable> {
  const random = createRandom(3)
  const engine = createEngine({ profile: generatorProfile })
  const records = populate(engine, random)
  const some = () => records[Math.floor(random() * records.length)]!
  const kinds: { name: string; keyword: () => string }[] = [
    { name: 'whole symbol', keyword: () => some().symbol },
    { name: 'whole address', keyword: () => some().address },
    { name: 'start of a symbol, 1 to 3 letters', keyword: startOf },
    { name: 'a common word', keyword: () => pick(random, commonWords) },
    { name: 'inside a name, 3 to 5 letters', keyword: insideOf },
    { name: 'three random letters', keyword: () => letters(random, 3) },
  ]
  function startOf(): string {
    return some().symbol.slice(0, 1 + Math.floor(random() * 3))
  }
  function insideOf(): string {
    const { name } = some()
    return name.slice(1, 4 + Math.floor(random() * 3))
  }
  const rows: BenchTable['rows'] = []
  const ms = ({ p50, p99, clockP99 }: Percentiles) =>
    `${p50.toFixed(2)} / ${p99.toFixed(2)} ms CPU, p99 by the clock ${clockP99.toFixed(2)} ms`
  for (const { name, keyword } of kinds) {
    const keywords = Array.from({ length: searches }, keyword)
    for (const word of keywords.slice(0, 200)) engine.search(word, limit)
    const found = percentiles(searches, (index) => engine.search(keywords[index]!, limit))
    rows.push({ metric: `${name}, p50 / p99`, value: ms(found), goal: 'p99 under 10 ms' })
  }
  const scanned = percentiles(scans, () => scan(records, some().symbol.toLowerCase()))
  rows.push({ metric: 'scan of all records, p50 / p99', value: ms(scanned) })
  return { name: 'search, 1,000,000 tokens', rows }
}
