// A chain whose block numbers have gaps, in a real store: written, rewound and loaded again.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  loadKnownBlocks,
  loadOlderBlocks,
} from '../../packages/server/src/app/chain/loadKnownBlocks.ts'
import { rewindStore } from '../../packages/server/src/app/chain/rewindStore.ts'
import { loadEngine } from '../../packages/server/src/app/snapshots/loadEngine.ts'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import { encodeUndo } from '../../packages/server/src/ledger/undo.ts'
import { encodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { BlockGenerator, generatorProfile as profile } from '../support/blockGenerator.ts'
import { silentLogger } from '../support/postgres.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let postgres: TestPostgres
let store: Store
let chainId: number
const generator = new BlockGenerator({ seed: 5, eventsMax: 6, numberStepMax: 13 })
let engine = createEngine({ profile })
/**
 * Blocks of the canonical chain, each with the engine's state and the holder's balance after it.
 */
const canonical: { ref: BlockRef; stateHash: string; balance: bigint }[] = []
let seq = 0
let balance = 0n
// Number of blocks that were final when they were written; they have no undo records.
const finalCount = 10

beforeAll(async () => {
  postgres = await startTestPostgres()
  store = await openStore({ connection: await postgres.createDatabase(), logger: silentLogger })
  chainId = await store.ensureChain(profile.name)
  return () => store.close()
})
afterAll(() => postgres.stop())

/** Writes rows, entry, balances and cursor together, as the service does for each block. */
async function commit(count: number): Promise<void> {
  const writer = await store.openWriter({ chainId, chain: profile.name })
  for (let left = count; left > 0; left -= 1) {
    const block = generator.next()
    const entry: LogEntry = { type: 'commit', block }
    const { ref } = block
    const events = engine.apply(entry)
    const changes = [{ tokenId: 0, wallet: 'holder', before: balance, after: balance + 7n }]
    balance += 7n
    const taken = { changes, supplies: [], pools: [], unreportedAfter: null }
    const undo = canonical.length < finalCount ? null : encodeUndo(taken)
    seq = writer.append({
      chainId,
      expectedSeq: seq,
      entries: [{ type: 'commit', ref, bytes: encodeEntry(entry), undo }],
      headAfter: { number: ref.number, hash: ref.hash },
      events,
      balances: changes,
      reverted: null,
      nowS: ref.timeS,
    })
    canonical.push({ ref, stateHash: engine.stateHash(), balance })
  }
  await writer.close()
}

async function rewindTo(ref: BlockRef): Promise<number> {
  const ancestor = { number: ref.number, hash: ref.hash }
  const retention = {}
  const blocks = await rewindStore({
    store,
    chainId,
    chain: profile.name,
    retention,
    ancestor,
    logger: silentLogger,
  })
  seq += blocks
  while (canonical.at(-1)!.ref.hash !== ref.hash) {
    canonical.pop()
    generator.revert()
  }
  engine = (await loadEngine(store, chainId, profile, silentLogger)).engine
  balance = canonical.at(-1)!.balance
  return blocks
}

async function expectLoaded(): Promise<void> {
  const { ref, stateHash } = canonical.at(-1)!
  const { number, hash } = ref
  expect(await store.loadCursor(chainId)).toMatchObject({ seq, number, hash })
  const loaded = await loadEngine(store, chainId, profile, silentLogger)
  expect(loaded.engine.head()).toEqual(ref)
  expect(loaded.engine.stateHash()).toBe(stateHash)
  const refs = canonical.map((block) => block.ref)
  const newest = [...loaded.recent.newestFirst()].map((block) => block.ref)
  expect(newest.slice(0, 9)).toEqual(refs.slice(-9).reverse())
  const known = await loadKnownBlocks(store, chainId, 4, {
    pairById: (id) => engine.pairRecord(id),
    tokenById: (id) => engine.tokenRecord(id),
  })
  expect(known.map((block) => block.ref)).toEqual(refs.slice(-4))
  const finalizedNumber = refs[finalCount - 1]!.number
  const options = { chainId, known, finalizedNumber }
  expect(await loadOlderBlocks(store, { ...options, countMax: 100 })).toEqual(
    refs.slice(finalCount, -4),
  )
  expect(await loadOlderBlocks(store, { ...options, countMax: 7 })).toEqual(refs.slice(-7, -4))
  const {
    holders: [holder],
  } = await store.topHolders(chainId, 0, 1)
  expect(holder?.balance).toBe(canonical.at(-1)!.balance)
}

test('default: blocks are written, rewound across missing numbers, and loaded again', async () => {
  await commit(30)
  const steps = canonical.map(({ ref }) => ref.number - ref.parentNumber)
  expect(new Set(steps).size).toBeGreaterThan(3)
  await expectLoaded()
  expect(await rewindTo(canonical.at(-9)!.ref)).toBe(8)
  await expectLoaded()
  await commit(5)
  await expectLoaded()
  // More blocks than one batch of the rewind, and fewer than the range of their numbers.
  await commit(150)
  expect(canonical).toHaveLength(177)
  expect(await rewindTo(canonical[20]!.ref)).toBe(156)
  await expectLoaded()
})

test('behavior: blocks that were final when written are not rewound', async () => {
  const before = await store.loadCursor(chainId)
  await expect(rewindTo(canonical[finalCount - 2]!.ref)).rejects.toMatchObject({
    code: 'REORG_TOO_DEEP',
  })
  expect(await store.loadCursor(chainId)).toEqual(before)
})
