// A snapshot of a large market, written and read, against Node's own serializer with the same rows
// and records as one value.
import { deserialize, serialize } from 'node:v8'
import { createEngine, restoreEngine } from '../packages/server/src/engine/engine.ts'
import { MarketState } from '../packages/server/src/engine/marketState.ts'
import { decodeState, encodeState } from '../packages/server/src/engine/snapshot/snapshot.ts'
import { snapshotFormat } from '../packages/server/src/engine/snapshot/snapshotChanges.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
} from '../packages/server/src/engine/snapshot/snapshotEncoding.ts'
import type { ByteRange } from '../packages/server/src/engine/tables/byteParts.ts'
import { generatorProfile } from '../test/support/blockGenerator.ts'
import { type BenchTable, countText } from './benchTable.ts'
import { populatedEngine } from './engine.ts'

const pairCount = 200_000
const rounds = 5

const profile = { ...generatorProfile, reorgDepthMax: 0 }

export async function runSnapshotBench(): Promise<BenchTable> {
  const state = new MarketState({ profile })
  decodeState(state, populatedEngine(profile, pairCount).snapshot())
  const named = [...encodeState(state)]
  const form = decodeSnapshot(named, snapshotFormat)
  const value = {
    ...form,
    lists: withBytes(form.lists),
    tables: withBytes(form.tables),
    logs: withBytes(form.logs),
  }
  const plain = serialize(value)
  const pairs = form.tables.get('pairs')!
  // Moves a column, so that each double of every row has to be copied to another offset.
  const moved = [
    ...encodeSnapshot({
      ...form,
      tables: new Map([...form.tables, ['pairs', { ...pairs, columns: swapLast(pairs.columns) }]]),
    }),
  ]
  const write = bestOf({ named: () => [...encodeState(state)], plain: () => serialize(value) })
  const read = bestOf({
    named: () => restoreEngine({ profile }, named),
    plain: () => deserialize(plain),
    moved: () => restoreEngine({ profile }, moved),
    empty: () => createEngine({ profile }),
  })
  const ratio = (a: number, b: number) => `${(a / b).toFixed(2)}x`
  const mib = (bytes: number) => `${countText(bytes / 2 ** 20)} MiB`
  return {
    name: 'snapshot',
    rows: [
      {
        metric: `size, ${countText(pairCount)} pairs; of v8.serialize`,
        value: `${mib(named.reduce((sum, { length }) => sum + length, 0))}; ${mib(plain.length)}`,
      },
      { metric: 'written', value: `${countText(write.named!)} ms` },
      {
        metric: 'against v8.serialize',
        value: ratio(write.named!, write.plain!),
      },
      { metric: 'read', value: `${countText(read.named!)} ms` },
      {
        metric: 'against v8.deserialize, which makes no engine of it',
        value: ratio(read.named!, read.plain!),
      },
      {
        metric: 'pairs with two columns in other places, against that',
        value: ratio(read.moved!, read.named!),
      },
    ],
  }
}

/** Returns runs as bytes, which the serializer accepts. */
function withBytes<named extends { runs: ByteRange }>(all: ReadonlyMap<string, named>) {
  return new Map(
    [...all].map(([name, { runs, ...rest }]) => [name, { ...rest, runs: runs.joined() }]),
  )
}

/** Swaps two columns from which nothing is derived. */
function swapLast(columns: readonly string[]): string[] {
  const places: Record<string, string> = { closeUsd: 'closeNative', closeNative: 'closeUsd' }
  return columns.map((name) => places[name] ?? name)
}

/**
 * Alternates the contestants, so that a slow second affects all. Returns the quickest time of each
 * in ms.
 */
function bestOf(works: Record<string, () => unknown>): Record<string, number> {
  const best: Record<string, number> = {}
  for (let round = 0; round < rounds; round += 1)
    for (const [name, work] of Object.entries(works)) {
      const startMs = performance.now()
      work()
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, performance.now() - startMs)
    }
  return best
}
