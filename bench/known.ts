// A market with many known tokens and pairs of which few trade: memory of each part, size of a
// snapshot, and time to write and read one. Each figure is from a separate process. `npm run bench
// -- known --pairs 5000000 --tokens 10000000`
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createEngineSeedSource } from '../packages/server/src/app/pipeline/engineSeed.ts'
import { AppliedBlocks } from '../packages/server/src/engine/appliedBlocks.ts'
import { restoreImage } from '../packages/server/src/engine/engine.ts'
import { encodeImage } from '../packages/server/src/engine/image/marketImage.ts'
import { MarketState } from '../packages/server/src/engine/marketState.ts'
import {
  MarketMemory,
  type PagingOptions,
} from '../packages/server/src/engine/pages/marketMemory.ts'
import { Catalog } from '../packages/server/src/engine/search/catalog.ts'
import { SearchIndex } from '../packages/server/src/engine/search/searchIndex.ts'
import { decodeState, encodeState } from '../packages/server/src/engine/snapshot/snapshot.ts'
import { ImageFile, PageFile, SnapshotFile } from '../packages/server/src/lib/files/marketFiles.ts'
import { type BenchTable, countText } from './benchTable.ts'
import {
  type KnownSizes,
  pairOf,
  playMarket,
  knownProfile as profile,
  supplyOf,
  tokenOf,
} from './known/market.ts'
import { runInChildProcess } from './runInChildProcess.ts'

type Memory = { rss: number; used: number }

function memory(): Memory {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  gc()
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
  return { rss, used: heapUsed + arrayBuffers }
}

/** Memory that `make` allocates and its result keeps. */
function usedBy(make: () => unknown): number {
  const before = memory().used
  const made = make()
  const used = memory().used - before
  // Using the result prevents its collection before the measurement.
  return made === undefined ? 0 : used
}

// Chunk size as PostgreSQL returns it.
const partBytes = 1 << 20

/** A snapshot on disk, as the service keeps one that is larger than its memory limit. */
function partsOf(file: string, directory: string): SnapshotFile {
  const parts = new SnapshotFile(directory, 'snapshot')
  const opened = openSync(file, 'r')
  for (;;) {
    const part = Buffer.allocUnsafeSlow(partBytes)
    const length = readSync(opened, part)
    if (length === 0) break
    parts.push(part.subarray(0, length))
  }
  closeSync(opened)
  return parts
}

function pagingOf({ memory: residentBytesMax }: KnownSizes, directory: string): PagingOptions {
  return {
    residentBytesMax,
    openFile: (name, pageBytes) => new PageFile(directory, name, pageBytes),
    schedule: () => undefined,
    onWriteError(error) {
      throw error
    },
  }
}

/** Measurements, each in a separate process. */
const measurements = {
  /** Also writes a snapshot and an image, which other processes read. */
  market({ sizes, file }: { sizes: KnownSizes; file: string }) {
    const start = memory()
    const state = new MarketState({ profile, paging: pagingOf(sizes, dirname(file)) })
    const history = new AppliedBlocks(state)
    playMarket((block) => {
      state.memory.evictExcess()
      history.commit(block)
    }, sizes)
    state.memory.evictExcess()
    const end = memory()
    const rows = Object.fromEntries(
      state.tables().map(({ name, pages }) => [name, pages.count * pages.pageBytes]),
    )
    const startMs = performance.now()
    let snapshotBytes = 0
    for (const part of encodeState(state)) {
      snapshotBytes += part.length
      appendFileSync(file, part)
    }
    const saveMs = performance.now() - startMs
    const imageStartMs = performance.now()
    for (const part of encodeImage(state)) appendFileSync(imageOf(file), part)
    const imageMs = performance.now() - imageStartMs
    const { pairs: pairRows = 0, tokens: tokenRows = 0 } = rows
    const allRows = Object.values(rows).reduce((sum, each) => sum + each, 0)
    return {
      rss: end.rss,
      used: end.used - start.used,
      pairRows,
      tokenRows,
      otherRows: allRows - pairRows - tokenRows,
      snapshotBytes,
      saveMs,
      imageBytes: statSync(imageOf(file)).size,
      imageMs,
      peakRss: process.resourceUsage().maxRSS * 1_024,
    }
  },
  catalog: ({ sizes }: { sizes: KnownSizes }) => {
    const tokens = new Catalog(profile, { isIndexed: true, memory: new MarketMemory() })
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
      const index = new SearchIndex(new MarketMemory())
      for (let id = 0; id < sizes.tokens; id += 1) index.add(id, tokenOf(id))
      return index
    }),
  restart({ sizes, file }: { sizes: KnownSizes; file: string }) {
    const startMs = performance.now()
    const state = new MarketState({ profile, paging: pagingOf(sizes, dirname(file)) })
    decodeState(state, partsOf(file, dirname(file)))
    const loadMs = performance.now() - startMs
    const { rss } = memory()
    // Read afterwards, so that the state is still in memory.
    const tokenCount = state.tokens.count - 1
    return { loadMs, rss, tokenCount, peakRss: process.resourceUsage().maxRSS * 1_024 }
  },
  /** Opens an image, including everything that the chain's thread receives before it resumes. */
  async imageRestart({ sizes, file }: { sizes: KnownSizes; file: string }) {
    const startMs = performance.now()
    const options = { profile, paging: pagingOf(sizes, dirname(file)) }
    const image = new ImageFile(imageOf(file))
    const engine = restoreImage(options, {
      name: imageOf(file),
      size: image.size,
      read: (at, to) => image.read(at, to),
      onDamaged: () => undefined,
    })
    const loadMs = performance.now() - startMs
    const { nextTokenId } = await createEngineSeedSource(engine).start()
    const readyMs = performance.now() - startMs
    const { rss } = memory()
    // Read afterwards, so that the market is still in memory.
    const foundCount = engine.search('pepe', 20).exact.length
    const peakRss = process.resourceUsage().maxRSS * 1_024
    return { loadMs, readyMs, rss, nextTokenId, foundCount, peakRss }
  },
}

const imageOf = (file: string) => `${file}.image`

type Measurements = typeof measurements
type Question = { sizes: KnownSizes; file: string }

async function measuredApart<name extends keyof Measurements>(
  name: name,
  question: Question,
): Promise<Awaited<ReturnType<Measurements[name]>>> {
  const args = [name, JSON.stringify(question)]
  return await runInChildProcess<Awaited<ReturnType<Measurements[name]>>>(
    fileURLToPath(import.meta.url),
    args,
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, question] = process.argv.slice(2)
  process.send?.(await measurements[name as keyof Measurements](JSON.parse(question!)))
}

export async function runKnownBench(sizes: KnownSizes): Promise<BenchTable> {
  const directory = mkdtempSync(join(tmpdir(), 'known-'))
  const question = { sizes, file: join(directory, 'snapshot') }
  try {
    const catalog = await measuredApart('catalog', question)
    const search = await measuredApart('search', question)
    const market = await measuredApart('market', question)
    const restart = await measuredApart('restart', question)
    const imageRestart = await measuredApart('imageRestart', question)
    return tableOf(sizes, { catalog, search, market, restart, imageRestart })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

type Answers = { [name in keyof Measurements]: Awaited<ReturnType<Measurements[name]>> }

function tableOf(sizes: KnownSizes, answers: Answers): BenchTable {
  const { catalog, search, market, restart, imageRestart } = answers
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
      {
        metric: 'image',
        value: `${mib(market.imageBytes)}, written in ${countText(market.imageMs)} ms`,
      },
      {
        metric: 'read by a new process; ready; resident then; at most',
        value: `${countText(imageRestart.loadMs)} ms; ${countText(imageRestart.readyMs)} ms; ${mib(imageRestart.rss)}; ${mib(imageRestart.peakRss)}`,
      },
    ],
  }
}
