import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createEngine, type Engine } from '../../packages/server/src/engine/engine.ts'
import { encodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { FinishedBlock, FinishedEvent } from '../../packages/server/src/model/finishedBlock.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import {
  type PairMilestone,
  pairMilestonesOf,
} from '../../packages/server/src/model/pairMilestones.ts'
import type { BlockWriter } from '../../packages/server/src/store/blockWriter.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { genesis, pair, profile, token } from '../support/marketChain.ts'
import { silentLogger, type TestConnection } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let postgres: TestPostgres
let connection: TestConnection
let store: Store
let chainId: number

beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())

beforeEach(async () => {
  connection = await postgres.createDatabase()
  await open()
  return () => store.close()
})

async function open(): Promise<void> {
  store = await openStore({ connection, logger: silentLogger })
  chainId = await store.ensureChain('local')
}

type CanonicalBlock = { ref: BlockRef; news: PairMilestone[] }

/** A chain whose blocks are applied and stored as the program does. */
class StoredChain {
  readonly canonical: CanonicalBlock[] = []
  private readonly engine: Engine = createEngine({ profile })
  private readonly writer: BlockWriter
  private seq = 0
  private made = 0
  private readonly gone: LogEntry[] = []

  constructor(writer: BlockWriter) {
    this.writer = writer
  }

  commit(parts: Partial<FinishedBlock> = {}, stepS = 1): void {
    const parent = this.canonical.at(-1)?.ref
    this.made += 1
    const number = (parent?.number ?? 0) + 1
    const timeS = (parent?.timeS ?? 1_750_000_000) + stepS
    const ref = { number, hash: `0x${this.made}`, ...parentOf(parent), timeS }
    const rest = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null }
    this.append({ type: 'commit', block: { ref, receivedMs: 0, ...rest, ...parts } })
  }

  revert(): void {
    const { ref } = this.canonical.at(-1)!
    this.append({ type: 'revert', ref })
  }

  /** Commits the last reverted block again. */
  again(): void {
    this.append(this.gone.pop()!)
  }

  flush(): Promise<unknown> {
    return this.writer.flush()
  }

  private append(entry: LogEntry): void {
    const events = this.engine.apply(entry)
    const ref = entry.type === 'commit' ? entry.block.ref : this.canonical.at(-1)!.ref
    if (entry.type === 'commit') {
      this.canonical.push({ ref, news: pairMilestonesOf(events) })
      this.gone.push(entry)
    } else this.canonical.pop()
    const head = this.canonical.at(-1)!.ref
    this.seq += 1
    const undo = entry.type === 'commit' ? Buffer.from('undo') : null
    this.writer.append({
      chainId,
      expectedSeq: this.seq - 1,
      entries: [{ type: entry.type, ref, bytes: encodeEntry(entry), undo }],
      headAfter: { number: head.number, hash: head.hash },
      events,
      balances: [],
      nowS: ref.timeS,
      reverted: entry.type === 'revert' ? ref : null,
    })
  }
}

const parentOf = (parent: BlockRef | undefined) => ({
  parentNumber: parent?.number ?? 0,
  parentHash: parent?.hash ?? '',
})

const openChain = async () => new StoredChain(await store.openWriter({ chainId, chain: 'local' }))
const newsIn = (blocks: readonly CanonicalBlock[]) => blocks.filter(({ news }) => news.length > 0)
const all = {
  from: { number: 0, timeS: 0 },
  toNumber: 1_000,
  limit: 100,
  order: 'asc' as const,
  isExclusive: false,
}
const load = (change: Partial<typeof all> = {}) => store.loadNews({ chainId, ...all, ...change })

const origin = { index: 0, txHash: 'tx', wallet: 'alice' }
const launch: FinishedEvent = {
  ...origin,
  type: 'launch',
  tokenId: 6,
  pairId: 2,
  creator: 'alice',
}
const graduation = (pairId: number): FinishedEvent => ({
  ...origin,
  type: 'graduation',
  tokenId: 6,
  curvePairId: 2,
  pairId,
})

/**
 * A launch, an empty block, another pair a day later, a graduation, and a graduation that does not
 * count.
 */
function commitLaunch(chain: StoredChain): void {
  chain.commit(genesis)
  chain.commit({ tokens: [token(6)], pairs: [pair(2, 6, 0), pair(3, 6, 1)], events: [launch] })
  chain.commit()
  chain.commit({ pairs: [pair(4, 4, 1)] }, 86_400)
  const events = [graduation(5), graduation(4)]
  chain.commit({ pairs: [pair(5, 6, 0)], events })
  chain.commit({ events: [graduation(4)] })
  chain.commit({ pairs: [pair(6, 4, 3)] })
}

const created = (pairId: number): PairMilestone => ({ event: 'created', pairId })
const launchNews = [
  [created(0), created(1)],
  [created(2), created(3)],
  [created(4)],
  [created(5), { event: 'graduated', pairId: 5 }],
  [created(6)],
]

test('default: new pairs, launches and graduations of every block are stored', async () => {
  const chain = await openChain()
  commitLaunch(chain)
  await chain.flush()
  const { blocks, reached } = await load()
  expect(blocks.map(({ news }) => news)).toEqual(launchNews)
  expect(blocks).toEqual(newsIn(chain.canonical))
  expect(reached).toBe(null)
  const { number, timeS } = chain.canonical[3]!.ref
  expect((await load({ from: { number, timeS }, toNumber: 5 })).blocks).toEqual(
    newsIn(chain.canonical.slice(3, 5)),
  )
  expect((await store.loadNews({ ...all, chainId: chainId + 1 })).blocks).toEqual([])
})

test('args: limit, in both orders', async () => {
  const chain = await openChain()
  commitLaunch(chain)
  await chain.flush()
  const wanted = newsIn(chain.canonical)
  const first = await load({ limit: 2 })
  expect(first).toEqual({ blocks: wanted.slice(0, 2), reached: wanted[1]!.ref })
  const { number, timeS } = first.reached!
  const rest = await load({ from: { number, timeS }, isExclusive: true, limit: 3 })
  expect(rest.blocks).toEqual(wanted.slice(2))
  const newest = await store.loadNews({ chainId, ...all, limit: 3, order: 'desc' })
  expect(newest.blocks).toEqual(wanted.slice(2).reverse())
})

test('behavior: a reverted block has no news, and a block committed again has it once', async () => {
  const chain = await openChain()
  chain.commit(genesis)
  chain.commit({ pairs: [pair(2, 4, 1)] })
  chain.commit({ pairs: [pair(3, 4, 3)] })
  chain.revert()
  chain.commit({ pairs: [{ ...pair(3, 5, 0), address: 'other' }] })
  chain.commit({ pairs: [pair(4, 5, 1), pair(5, 5, 2)] })
  chain.revert()
  chain.again()
  chain.revert()
  chain.again()
  chain.commit({ pairs: [pair(6, 4, 2)] })
  chain.revert()
  await chain.flush()
  const { blocks } = await load()
  expect(blocks).toEqual(chain.canonical)
  expect(blocks.map(({ news }) => news.map(({ pairId }) => pairId))).toEqual([
    [0, 1],
    [2],
    [3],
    [4, 5],
  ])
})
