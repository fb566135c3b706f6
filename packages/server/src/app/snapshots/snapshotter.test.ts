import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { unreadByteOffset } from '../../../../../test/support/unreadByteOffset.ts'
import type { Logger } from '../../lib/logger.ts'
import { encodeEntry } from '../../log/entryCodec.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { StoredCursor } from '../../store/read/chains.ts'
import type { SnapshotDigest, SnapshotHeader } from '../../store/read/snapshots.ts'
import { createSnapshotter, type SnapshotterOptions, writeImageOfNewest } from './snapshotter.ts'

/** A log whose blocks are final at once, and a store whose saves take `saveMs`. */
function createWorld(saveMs: number, profile: ChainProfile = generatorProfile) {
  const generator = new BlockGenerator({ seed: 1, firstPools: 40 })
  const log: {
    seq: number
    type: LogEntry['type']
    hash: string
    number: number
    bytes: Uint8Array
  }[] = []
  const saved: number[] = []
  let newest: (SnapshotHeader & SnapshotDigest & { bytes: Buffer }) | null = null
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const clock = { nowMs: 0 }
  const cursor = { finalized: -1 }
  const from = async function* (seq: number) {
    for (const entry of log) if (entry.seq >= seq) yield entry
  }
  const options: SnapshotterOptions = {
    chainId: 1,
    profile,
    logger: logger as unknown as Logger,
    nowMs: () => clock.nowMs,
    store: {
      readLog: (_chainId, seq) => from(seq),
      readLogPlaces: (_chainId, seq) => from(seq),
      newestSnapshotFormat: async () => newest?.format ?? 0,
      newestSnapshotSum: async () => newest,
      loadCursor: async () => cursor as StoredCursor,
      async *readSnapshots() {
        const chunks = async function* () {
          yield newest!.bytes
        }
        if (newest !== null) yield { ...newest, chunks }
      },
      async saveSnapshot(head, parts) {
        saved.push(head.number)
        clock.nowMs += saveMs
        const bytes = Buffer.concat([...(parts as Iterable<Uint8Array>)])
        newest = { ...head, bytes, sizeBytes: bytes.length, digest: `digest${head.seq}` }
        return newest
      },
    },
  }
  return {
    clock,
    cursor,
    logger,
    saved,
    snapshotter: createSnapshotter(options),
    /** A snapshotter of another process on the same store. */
    another: () => createSnapshotter(options),
    /** Uses that a gateway makes of its own directory. */
    writeImage: (profile: ChainProfile) => writeImageOfNewest({ ...options, profile }),
    mine() {
      const block = generator.next()
      const { ref } = block
      for (const entry of [
        { type: 'commit', block },
        { type: 'finalize', ref },
      ] as const)
        log.push({ seq: log.length + 1, type: entry.type, ...ref, bytes: encodeEntry(entry) })
      cursor.finalized = ref.number
      return ref.number
    },
  }
}

test('default: saves the final state once', async () => {
  const { mine, snapshotter, saved } = createWorld(20_000)
  const first = mine()
  expect(await snapshotter.take()).toEqual({
    saved: { number: first, restMs: 0 },
    isReleased: false,
  })
  expect(await snapshotter.take()).toEqual({ saved: null, isReleased: false })
  const second = mine()
  expect(await snapshotter.take()).toMatchObject({ saved: { number: second } })
  expect(saved).toEqual([first, second])
})

test('behavior: rests ten times as long as a slow save took', async () => {
  const { mine, snapshotter } = createWorld(60_000)
  mine()
  expect(await snapshotter.take()).toMatchObject({ saved: { restMs: 600_000 } })
})

function pagedProfile() {
  const directory = mkdtempSync(join(tmpdir(), 'images-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return { ...generatorProfile, paging: { directory, bytesMax: 100 } }
}

test('behavior: keeps one image of a large market, of its newest snapshot', async () => {
  const profile = pagedProfile()
  const { mine, snapshotter } = createWorld(0, profile)
  const files = () => readdirSync(profile.paging.directory)
  mine()
  await snapshotter.take()
  // The engine has no lookup index yet, so no image was written; the next round writes one.
  expect(files()).toEqual([])
  for (const seq of [4, 6]) {
    writeFileSync(join(profile.paging.directory, 'local.1.unfinished-7.image'), 'of a crash')
    mine()
    // Each round loads the image of the round before.
    expect(await snapshotter.take()).toMatchObject({ isReleased: true })
    expect(files()).toEqual([`local.1.${seq}-digest${seq}.image`])
  }
})

test('behavior: a process without snapshots of its own writes one image of each', async () => {
  const profile = pagedProfile()
  const files = () => readdirSync(profile.paging.directory)
  const { mine, snapshotter, writeImage, saved } = createWorld(0)
  expect(await writeImage(profile)).toEqual({ saved: null, isReleased: false })
  for (const seq of [2, 4]) {
    const number = mine()
    await snapshotter.take()
    expect(await writeImage(profile)).toEqual({ saved: { number, restMs: 0 }, isReleased: true })
    expect(files()).toEqual([`local.1.${seq}-digest${seq}.image`])
    expect(await writeImage(profile)).toEqual({ saved: null, isReleased: false })
  }
  expect(saved).toHaveLength(2)
  const large = { ...profile, paging: { ...profile.paging, bytesMax: 2 ** 30 } }
  mine()
  await snapshotter.take()
  expect(await writeImage(large)).toEqual({ saved: null, isReleased: false })
})

test('behavior: does not load a large market if nothing became final', async () => {
  const world = createWorld(0, pagedProfile())
  const { mine, snapshotter, logger } = world
  for (const _round of [1, 2]) {
    mine()
    await snapshotter.take()
  }
  // The market is not even loaded to find that nothing became final.
  expect(await snapshotter.take()).toEqual({ saved: null, isReleased: false })
  // The cursor reports a newly final block, but the log does not contain its entry yet.
  world.cursor.finalized += 1
  expect(await snapshotter.take()).toEqual({ saved: null, isReleased: true })
  expect(logger.warn).not.toHaveBeenCalled()
})

test('error: stores the snapshot and logs it if no image can be written', async () => {
  const profile = pagedProfile()
  const { mine, snapshotter, logger } = createWorld(0, profile)
  mine()
  await snapshotter.take()
  profile.paging.directory = join(profile.paging.directory, 'file')
  writeFileSync(profile.paging.directory, '')
  const number = mine()
  expect(await snapshotter.take()).toMatchObject({ saved: { number }, isReleased: false })
  expect(logger.warn.mock.calls.map(([line]) => line.msg)).toContain(
    'Failed to write an image of the market',
  )
})

test('error: saves nothing from a damaged image, and reloads the snapshot', async () => {
  const profile = pagedProfile()
  const { mine, snapshotter, another, saved } = createWorld(0, profile)
  const { directory } = profile.paging
  for (const _round of [1, 2]) {
    mine()
    await snapshotter.take()
  }
  const [file] = readdirSync(directory)
  const image = readFileSync(join(directory, file!))
  image[unreadByteOffset(image)]! ^= 1
  writeFileSync(join(directory, file!), image)
  const next = another()
  const number = mine()
  await expect(next.take()).rejects.toMatchObject({ code: 'IMAGE_DAMAGED' })
  expect([saved.length, readdirSync(directory)]).toEqual([2, []])
  expect(await next.take()).toMatchObject({ saved: { number } })
  expect(readdirSync(directory)).toEqual(['local.1.6-digest6.image'])
})
