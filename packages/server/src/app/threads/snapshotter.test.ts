import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { silentLogger } from '../../../../../test/support/postgres.ts'
import { encodeEntry } from '../../log/entryCodec.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import { createSnapshotter } from './snapshotter.ts'

/** A log to which blocks are added that are final at once, and a store that takes its time. */
function createWorld(saveMs: number) {
  const generator = new BlockGenerator({ seed: 1 })
  const log: {
    seq: number
    type: LogEntry['type']
    hash: string
    number: number
    bytes: Uint8Array
  }[] = []
  const saved: number[] = []
  const clock = { nowMs: 0 }
  const from = async function* (seq: number) {
    for (const entry of log) if (entry.seq >= seq) yield entry
  }
  const snapshotter = createSnapshotter({
    chainId: 1,
    profile: generatorProfile,
    logger: silentLogger,
    nowMs: () => clock.nowMs,
    store: {
      readLog: (_chainId, seq) => from(seq),
      readLogPlaces: (_chainId, seq) => from(seq),
      newestSnapshotFormat: async () => 0,
      async *readSnapshots() {},
      async saveSnapshot({ number }) {
        saved.push(number)
        clock.nowMs += saveMs
      },
    },
  })
  return {
    clock,
    saved,
    snapshotter,
    mine() {
      const block = generator.next()
      const { ref } = block
      for (const entry of [
        { type: 'commit', block },
        { type: 'finalize', ref },
      ] as const)
        log.push({ seq: log.length + 1, type: entry.type, ...ref, bytes: encodeEntry(entry) })
      return ref.number
    },
  }
}

test('default: what became final is saved, once', async () => {
  const { mine, snapshotter, saved } = createWorld(20_000)
  const first = mine()
  expect(await snapshotter.take()).toBe(first)
  expect(await snapshotter.take()).toBeNull()
  const second = mine()
  expect(await snapshotter.take()).toBe(second)
  expect(saved).toEqual([first, second])
})

test('behavior: one that took long to save is not followed by the next for ten times as long', async () => {
  const { mine, snapshotter, clock } = createWorld(60_000)
  const first = mine()
  expect(await snapshotter.take()).toBe(first)
  mine()
  clock.nowMs += 300_000
  expect(await snapshotter.take()).toBeNull()
  const third = mine()
  clock.nowMs += 300_000
  expect(await snapshotter.take()).toBe(third)
})
