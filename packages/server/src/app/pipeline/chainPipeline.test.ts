import { setImmediate as macrotask } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { emptyPipelineStart } from '../../../../../test/support/emptyPipelineStart.ts'
import {
  answerOf,
  fakeReader,
  moveEvent,
  poolEvent,
  profile as resolverProfile,
} from '../../../../../test/support/resolverFixture.ts'
import { createEngine } from '../../engine/engine.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { ChainIntake } from '../../kinds/intake.ts'
import type { BalanceReader } from '../../ledger/balanceLoader.ts'
import { encodeUndo } from '../../ledger/undo.ts'
import { createLogger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import type { ChainEvent } from '../../model/block.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import type { ChainReader } from '../../resolve/chainReader.ts'
import type { RecordReader } from '../../resolve/records/recordCache.ts'
import { createPipeline, type KnownBlock, type PipelineStart } from './chainPipeline.ts'
import type { EncodedEntry } from './entrySender.ts'

const setup: ChainSetup = {
  kind: 'evm',
  profile: generatorProfile,
  storeName: 'test',
  startBlock: 0,
  finality: { type: 'depth', blocks: 4 },
  limits: {
    resolveMsMax: 1_000,
    ignoreMs: 600_000,
    creationSearchesMax: 0,
    shareReadsMax: 0,
    rpcMsMax: 1_000,
    rpcBatchRequestsMax: 1,
    logRangeBlocksMax: 1,
    backfillRangesMax: 1,
    entriesAheadMax: 10,
  },
}

const refOf = (number: number) => ({
  number,
  hash: `hash${number}`,
  parentNumber: number - 1,
  parentHash: `hash${number - 1}`,
  timeS: 1_750_000_000 + number,
})

/** An intake of empty blocks whose last block is then reverted. */
function intakeOf(count: number): ChainIntake<number> {
  const at = {
    startNumber: 0,
    headNumber: count,
    headTimeS: 0,
    finalizedNumber: -1,
    settledNumber: -1,
  }
  return {
    async *events(): AsyncGenerator<ChainEvent<number>> {
      for (let block = 0; block < count; block += 1) yield { type: 'commit', block, receivedMs: 0 }
      yield { type: 'revert', ref: refOf(count - 1) }
    },
    progress: () => ({ ...at, cursorNumber: 0, isLive: true, lastError: null }),
    refOf,
    decode: (block) => ({ ref: refOf(block), events: [], transfers: [] }) as never,
    droppedCounts: () => ({}),
    endpoints: () => [],
    confirm: async () => ({ type: 'alone' }),
    // The blocks name no address, so the reader is never called.
    reader: {} as ChainReader,
    close: () => undefined,
  }
}

type RunOptions = {
  nativeUsd?: () => NativeUsdPrice | null
  onHanded?: () => void
  signal?: AbortSignal
  intake?: ChainIntake<number>
  chainSetup?: ChainSetup
  start?: Partial<PipelineStart>
  store?: Partial<RecordReader & BalanceReader>
}

async function run(count: number, options: RunOptions = {}): Promise<EncodedEntry[]> {
  const { nativeUsd, onHanded, signal = new AbortController().signal } = options
  const { intake = intakeOf(count), chainSetup = setup } = options
  const handed: EncodedEntry[] = []
  const none = async () => []
  const pipeline = createPipeline({
    start: { ...emptyPipelineStart(chainSetup), ...options.start },
    intake,
    store: {
      findPairs: none,
      findCouples: none,
      listPairs: none,
      findTokens: none,
      loadBalances: none,
      loadSupplies: none,
      ...options.store,
    },
    nativeUsd,
    sendEntry(entry) {
      handed.push(entry)
      onHanded?.()
    },
    logger: createLogger('silent'),
    signal,
  })
  await pipeline.run()
  return handed
}

test('behavior: stores the native price of another chain with each block, as known then', async () => {
  const prices = [
    null,
    { usd: 2_000, atS: 10 },
    { usd: 2_500.25, atS: 20 },
    { usd: 2_500.25, atS: 30 },
    { usd: 3_000, atS: 40 },
  ]
  let asked = 0
  const entries = (await run(5, { nativeUsd: () => prices[asked++]! })).map(({ bytes }) =>
    decodeEntry(bytes),
  )
  expect(
    entries.map((entry) => (entry.type === 'commit' ? entry.block.nativeUsd : entry.type)),
  ).toEqual([...prices, 'revert'])
  // Two engines that read the log agree, and reverting a block also reverts its price.
  const engines = [
    createEngine({ profile: generatorProfile }),
    createEngine({ profile: generatorProfile }),
  ]
  for (const engine of engines) {
    const seen = entries.map((entry) => {
      engine.apply(entry)
      return [engine.nativeUsd(), engine.nativeAtS()]
    })
    expect(seen).toEqual([
      [null, 0],
      [2_000, 10],
      [2_500.25, 20],
      [2_500.25, 30],
      [3_000, 40],
      [2_500.25, 30],
    ])
  }
})

test('behavior: stores no native price without a source chain', async () => {
  const entries = (await run(2)).map(({ bytes }) => decodeEntry(bytes))
  expect(
    entries.flatMap((entry) => (entry.type === 'commit' ? [entry.block.nativeUsd] : [])),
  ).toEqual([null, null])
})

test('behavior: a stopped run discards prefetched blocks', async () => {
  const stopping = new AbortController()
  let handedCount = 0
  const onHanded = () => {
    handedCount += 1
    if (handedCount === 3) stopping.abort()
  }
  const handed = await run(50, { onHanded, signal: stopping.signal })
  expect(handed.map(({ ref }) => ref.number)).toEqual([0, 1, 2])
})

test('behavior: hands over late facts before the next block', async () => {
  let answer = () => {}
  let onFirst = () => {}
  const first = new Promise<void>((resolve) => {
    onFirst = resolve
  })
  const reader: ChainReader = {
    ...fakeReader(),
    readTokens: (addresses) =>
      new Promise((resolve) => {
        answer = () => resolve(addresses.map(answerOf))
      }),
  }
  const intake: ChainIntake<number> = {
    ...intakeOf(2),
    reader,
    async *events() {
      yield { type: 'commit', block: 0, receivedMs: 0 }
      await first
      answer()
      // One turn of the event loop lets everything that awaits the answer run.
      await macrotask()
      yield { type: 'commit', block: 1, receivedMs: 0 }
    },
    decode: (block) => ({ ref: refOf(block), events: block === 0 ? [poolEvent(0, '0xpool')] : [] }),
  }
  const limits = { ...setup.limits, resolveMsMax: 1 }
  const chainSetup = { ...setup, profile: resolverProfile, limits }
  const handed = await run(2, { intake, chainSetup, onHanded: () => onFirst() })
  expect(handed.map(({ type, ref }) => `${type} ${ref.number}`)).toEqual([
    'commit 0',
    'late 0',
    'commit 1',
  ])
})

const heldToken = { id: 0, address: '0xaaa', ...answerOf('0xaaa'), seenAtS: 1 }

test('behavior: holds back finality until all balances of the block are known', async () => {
  let isDown = true
  const intake: ChainIntake<number> = {
    ...intakeOf(3),
    reader: fakeReader(),
    async *events() {
      yield { type: 'commit', block: 0, receivedMs: 0 }
      yield { type: 'commit', block: 1, receivedMs: 0 }
      yield { type: 'finalize', ref: refOf(1) }
      // One turn of the event loop lets the prefetched blocks before the finalize finish.
      await macrotask()
      isDown = false
      yield { type: 'commit', block: 2, receivedMs: 0 }
    },
    decode: (block) => ({ ref: refOf(block), events: block === 1 ? [moveEvent(0, '0xaaa')] : [] }),
  }
  const handed = await run(3, {
    intake,
    chainSetup: { ...setup, profile: resolverProfile },
    start: { nextTokenId: 1 },
    store: {
      findTokens: async () => [heldToken],
      async loadBalances(keys) {
        if (isDown) throw new Error('down')
        return keys.map(() => 4n)
      },
    },
  })
  expect(handed.map(({ type, ref }) => `${type} ${ref.number}`)).toEqual([
    'commit 0',
    'commit 1',
    'finalize 0',
    'commit 2',
    'finalize 1',
  ])
})

test('behavior: re-reads blocks whose balances an earlier process left pending', async () => {
  const unreportedAfter = { number: 0, hash: 'hash0' }
  const undoOf = (place: typeof unreportedAfter | null) =>
    encodeUndo({ changes: [], supplies: [], pools: [], unreportedAfter: place })
  const created = { tokens: [], pairs: [] }
  const known: KnownBlock[] = [
    { ref: refOf(1), undo: undoOf(unreportedAfter), created },
    { ref: refOf(2), undo: undoOf(null), created },
  ]
  const asked = { code: 'LEDGER_BALANCES_UNTOLD', after: unreportedAfter }
  await expect(run(0, { start: { known: known.slice(0, 1) } })).rejects.toMatchObject(asked)
  // Block 2 completed the balances of block 1, but block 2 is reverted.
  const intake: ChainIntake<number> = {
    ...intakeOf(3),
    async *events() {
      yield { type: 'revert', ref: refOf(2) }
    },
  }
  await expect(run(0, { intake, start: { known } })).rejects.toMatchObject(asked)
})

test('behavior: the end of a run ends the scans that it started', async () => {
  const scans: AbortSignal[] = []
  const stopping = new AbortController()
  const reader: ChainReader = {
    ...fakeReader(),
    readHistory: (query) => {
      scans.push(query.signal)
      return new Promise(() => {})
    },
  }
  const intake: ChainIntake<number> = {
    ...intakeOf(1),
    reader,
    decode: (block) => ({
      ref: refOf(block),
      events: [poolEvent(0, '0xpool'), moveEvent(1, '0xaaa')],
    }),
  }
  await run(1, {
    intake,
    chainSetup: { ...setup, profile: resolverProfile },
    onHanded: () => stopping.abort(),
    signal: stopping.signal,
  })
  expect(scans.length).toBeGreaterThan(0)
  for (const { aborted } of scans) expect(aborted).toBe(true)
})
