import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../lib/logger.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Store } from '../store/openStore.ts'
import { FinalEntries } from './finalEntries.ts'
import { loadSnapshotEngine, snapshotFormat } from './loadEngine.ts'
import { logEntriesAfter } from './logEntries.ts'

export type SnapshotterOptions = {
  chainId: number
  profile: ChainProfile
  store: Store
  logger: Logger
}

export type Snapshotter = {
  /** Reads the log to its end and saves the state of what is final; tells its block. Null: nothing new became final. */
  take(): Promise<number | null>
}

type SnapshotState = { engine: Engine; entries: FinalEntries; readSeq: number; savedSeq: number }

export function createSnapshotter(options: SnapshotterOptions): Snapshotter {
  const { chainId, store, logger } = options
  // Nothing it applies is ever taken back, so it keeps no undo.
  const profile = { ...options.profile, reorgDepthMax: 0 }
  let state: SnapshotState | null = null

  async function load(): Promise<SnapshotState> {
    const { engine, seq } = await loadSnapshotEngine(store, chainId, profile, logger)
    const entries = new FinalEntries(seq, engine.finalizedNumber())
    return { engine, entries, readSeq: seq, savedSeq: seq }
  }

  async function readOn({ engine, entries, readSeq }: SnapshotState): Promise<number> {
    let lastSeq = readSeq
    const place = { chainId, chain: profile.name, seq: readSeq }
    for await (const { seq, entry } of logEntriesAfter(store, place)) {
      for (const final of entries.put(seq, entry)) engine.apply(final)
      lastSeq = seq
    }
    return lastSeq
  }

  async function save({ engine, entries, savedSeq }: SnapshotState): Promise<number | null> {
    const head = engine.head()
    const seq = entries.appliedSeq
    if (head === null || seq === savedSeq) return null
    const { number, hash } = head
    await store.saveSnapshot({ chainId, seq, number, hash, format: snapshotFormat }, [
      engine.snapshot(),
    ])
    logger.info({ msg: 'Saved a snapshot', chain: profile.name, blockNumber: number, seq })
    return number
  }

  return {
    async take() {
      const reached = state ?? (await load())
      // Read on from the store after a failure: half a read may be in the engine.
      state = null
      reached.readSeq = await readOn(reached)
      const savedNumber = await save(reached)
      reached.savedSeq = reached.entries.appliedSeq
      state = reached
      return savedNumber
    },
  }
}
