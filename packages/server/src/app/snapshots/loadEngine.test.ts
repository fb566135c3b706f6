import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { joinChunks } from '../../../../../test/support/imagedParts.ts'
import { unreadByteOffset } from '../../../../../test/support/unreadByteOffset.ts'
import { createEngine } from '../../engine/engine.ts'
import { snapshotFormat } from '../../engine/snapshot/snapshotChanges.ts'
import type { Logger } from '../../lib/logger.ts'
import { encodeEntry } from '../../log/entryCodec.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { loadEngine, logEntriesAfter, revertedEntries } from './loadEngine.ts'

const bytes = encodeEntry({ type: 'finalize', ref: { number: 1, hash: 'h1' } })

/** A log with entries of these sequence numbers. */
const logOf = (seqs: readonly number[]) => ({
  async *readLog(_chainId: number, fromSeq: number) {
    for (const seq of seqs) if (seq >= fromSeq) yield { seq, type: 'finalize' as const, bytes }
  },
})

async function seqsAfter(seqs: readonly number[], seq: number): Promise<number[]> {
  const found: number[] = []
  for await (const read of logEntriesAfter(logOf(seqs), { chainId: 1, chain: 'local', seq }))
    found.push(read.seq)
  return found
}

test('default: yields every later entry', async () => {
  expect(await seqsAfter([1, 2, 3], 0)).toEqual([1, 2, 3])
  expect(await seqsAfter([1, 2, 3], 2)).toEqual([3])
  expect(await seqsAfter([3], 3)).toEqual([])
  expect(await seqsAfter([], 0)).toEqual([])
})

test.each([
  ['whose beginning is gone', [4, 5], 0, [0, 4]],
  ['with a hole further on', [1, 2, 4], 0, [2, 4]],
  ['that begins after a snapshot', [8], 6, [6, 8]],
])('error: rejects a log %s', async (_name, seqs, seq, [readSeq, foundSeq]) => {
  await expect(seqsAfter(seqs, seq)).rejects.toMatchObject({
    code: 'LOG_GAP',
    message: expect.stringMatching(
      new RegExp(`entry: ${readSeq}\\b[^]*next: ${foundSeq}\\b[^]*snapshot`),
    ),
  })
})

/** Returns the sequence numbers to skip. Entries are words, and an entry's seq is its position. */
const passedOf = (...words: readonly string[]) =>
  [
    ...revertedEntries(
      words.map((word, at) => {
        const [type, hash] = word.split(' ') as ['commit' | 'late' | 'revert', string]
        return { seq: at, type, hash }
      }),
    ),
  ].sort((a, b) => a - b)

test('default: skips a block, its late facts and its revert', () => {
  expect(passedOf('commit a', 'commit b', 'late a', 'revert b', 'revert a')).toEqual([
    0, 1, 2, 3, 4,
  ])
})

test('behavior: a block committed again is canonical', () => {
  expect(passedOf('commit a', 'late a', 'revert a', 'commit a', 'late a')).toEqual([0, 1, 2])
  expect(passedOf('commit a', 'revert a', 'commit a', 'late a', 'revert a')).toEqual([
    0, 1, 2, 3, 4,
  ])
})

test('behavior: skips late facts of a reverted block', () => {
  expect(passedOf('commit a', 'revert a', 'late a')).toEqual([0, 1, 2])
})

test('behavior: skips nothing without reverts', () => {
  expect(passedOf()).toEqual([])
})

/**
 * A market of one block, and a store that holds its snapshot; `sizeOf` sets the size the store
 * reports.
 */
function storedMarket(sizeOf = (bytes: Uint8Array) => bytes.length) {
  const block = new BlockGenerator({ seed: 1, firstPools: 40 }).next()
  const { ref } = block
  const writing = createEngine({ profile: generatorProfile })
  writing.apply({ type: 'commit', block })
  writing.apply({ type: 'finalize', ref })
  const snapshot = Buffer.concat([...writing.snapshot()])
  const head = { chainId: 1, seq: 2, number: ref.number, hash: ref.hash, format: snapshotFormat }
  let snapshotReads = 0
  const store = {
    ...logOf([3, 4, 5]),
    newestSnapshotFormat: async () => snapshotFormat,
    newestSnapshotSum: async () => ({ ...head, sizeBytes: snapshot.length, digest: 'abc' }),
    findReverted: async () => [],
    async *readSnapshots() {
      snapshotReads += 1
      const chunks = async function* () {
        yield snapshot.subarray(0, 100)
        yield snapshot.subarray(100)
      }
      yield { ...head, sizeBytes: sizeOf(snapshot), chunks }
    },
  }
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const damages: string[] = []
  const load = (profile: ChainProfile = generatorProfile) =>
    loadEngine(store, 1, profile, logger as unknown as Logger, {
      onDamaged: ({ code }) => damages.push(code),
    })
  return {
    snapshot,
    image: () => joinChunks(writing.image()),
    stateHash: writing.stateHash(),
    snapshotReads: () => snapshotReads,
    damages,
    logger,
    load,
  }
}

/** An image in its own directory, with one byte changed. */
function damagedImage(bytes: Buffer, at: (image: Buffer) => number) {
  const directory = mkdtempSync(join(tmpdir(), 'load-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  bytes[at(bytes)]! ^= 1
  writeFileSync(join(directory, 'local.1.2-abc.image'), bytes)
  const profile = { ...generatorProfile, paging: { directory, bytesMax: 100 } }
  return { profile, images: () => readdirSync(directory) }
}

test('default: loads a snapshot and the later log entries', async () => {
  const { stateHash, load } = storedMarket()
  const { engine, seq } = await load()
  expect(seq).toBe(5)
  expect(engine.stateHash()).toBe(stateHash)
})

test('behavior: a market larger than its memory limit loads the same', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'load-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const { stateHash, load } = storedMarket()
  const paging = { directory: join(directory, 'pages'), bytesMax: 100 }
  const { engine } = await load({ ...generatorProfile, paging })
  expect(engine.stateHash()).toBe(stateHash)
  // The page directory stays empty: page files hold unnamed temporary data.
  expect(readdirSync(paging.directory)).toEqual([])
})

test('behavior: prefers an image of the newest snapshot', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'load-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const { stateHash, image, load, snapshotReads } = storedMarket()
  const profile = { ...generatorProfile, paging: { directory, bytesMax: 100 } }
  writeFileSync(join(directory, 'local.1.2-abc.image'), image())
  const { engine, seq } = await load(profile)
  expect([engine.stateHash(), seq, snapshotReads()]).toEqual([stateHash, 5, 0])
})

test.each([
  ['of another snapshot', 'local.1.2-abd.image', 0],
  ['that is cut off', 'local.1.2-abc.image', 1],
])('error: skips an image %s', async (_name, file, cut) => {
  const directory = mkdtempSync(join(tmpdir(), 'load-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const { stateHash, image, load, snapshotReads, logger } = storedMarket()
  const bytes = image()
  writeFileSync(join(directory, file), bytes.subarray(0, bytes.length - cut))
  const profile = { ...generatorProfile, paging: { directory, bytesMax: 100 } }
  const { engine } = await load(profile)
  expect([engine.stateHash(), snapshotReads()]).toEqual([stateHash, 1])
  expect(logger.warn).toHaveBeenCalledTimes(cut)
})

test('error: skips and removes an image damaged in its eager part', async () => {
  const { stateHash, image, load, snapshotReads, damages, logger } = storedMarket()
  const { profile, images } = damagedImage(image(), (bytes) => bytes.indexOf('quoteIndex'))
  const { engine } = await load(profile)
  expect([engine.stateHash(), snapshotReads(), images()]).toEqual([stateHash, 1, []])
  expect(logger.warn.mock.calls).toMatchObject([[{ err: { code: 'IMAGE_DAMAGED' } }]])
  // No engine used the image yet, so no damage is reported.
  expect(damages).toEqual([])
})

test('error: reports a damaged page when it is read; the next load uses the snapshot', async () => {
  const { stateHash, image, load, snapshotReads, damages } = storedMarket()
  const { profile, images } = damagedImage(image(), unreadByteOffset)
  const { engine } = await load(profile)
  expect([snapshotReads(), images(), damages]).toEqual([0, ['local.1.2-abc.image'], []])
  const last = engine.tokenCount() - 1
  expect(() => engine.tokenState(last)).toThrow(
    join(profile.paging.directory, 'local.1.2-abc.image'),
  )
  expect([images(), damages]).toEqual([[], ['IMAGE_DAMAGED']])
  const { engine: second } = await load(profile)
  expect([second.stateHash(), snapshotReads()]).toEqual([stateHash, 1])
})

test('error: keeps the market in memory and logs it if no page file can be created', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'load-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, 'pages'), 'a file in the place of the directory')
  const { stateHash, load, logger } = storedMarket()
  const paging = { directory: join(directory, 'pages'), bytesMax: 100 }
  const { engine } = await load({ ...generatorProfile, paging })
  expect(engine.stateHash()).toBe(stateHash)
  expect(logger.warn.mock.calls).toMatchObject([
    [{ msg: expect.stringContaining('stays in memory'), chain: 'local' }],
  ])
})

test('behavior: logs what was loaded', async () => {
  const { snapshot, logger, load } = storedMarket()
  await load()
  const snapshotBytes = snapshot.length
  const took = { snapshotMs: expect.any(Number), entriesMs: expect.any(Number), isFromImage: false }
  expect(logger.info.mock.calls).toEqual([
    [{ msg: 'Loaded a market', chain: 'local', seq: 5, snapshotBytes, entries: 3, ...took }],
  ])
})

test.each([
  ['fewer', -1],
  ['more', 1],
])('error: skips a snapshot that should have %s bytes', async (_name, change) => {
  const { logger, load } = storedMarket((bytes) => bytes.length + change)
  // The log starts after the missing entries.
  await expect(load()).rejects.toMatchObject({ code: 'LOG_GAP' })
  expect(logger.error.mock.calls).toMatchObject([
    [{ msg: 'Skipped an unreadable snapshot', seq: 2 }],
  ])
})
