import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../lib/logger.ts'
import { decodeEntry } from '../log/entryCodec.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Store } from '../store/openStore.ts'
import { FinalEntries } from './finalEntries.ts'
import { loadSnapshotEngine, snapshotFormat } from './loadEngine.ts'

export type SnapshotterOptions = {
  chainId: number
  profile: ChainProfile
  store: Store
  logger: Logger
}

export type Snapshotter = {
  /** Reads the log to its end and saves the state of what is final. False: nothing new became final. */
  take(): Promise<boolean>
}

export function createSnapshotter(options: SnapshotterOptions): Snapshotter {
  const { chainId, store, logger } = options
  // Nothing it applies is ever taken back, so it keeps no undo.
  const profile = { ...options.profile, reorgDepthMax: 0 }
  let state: { engine: Engine; entries: FinalEntries; readSeq: number; savedSeq: number } | null =
    null

  async function load() {
    const { engine, seq } = await loadSnapshotEngine(store, chainId, profile, logger)
    const entries = new FinalEntries(seq, engine.finalizedNumber())
    return { engine, entries, readSeq: seq, savedSeq: seq }
  }

  return {
    async take() {
      state ??= await load()
      const { engine, entries } = state
      for await (const { seq, bytes } of store.readLog(chainId, state.readSeq + 1)) {
        for (const entry of entries.put(seq, decodeEntry(bytes))) engine.apply(entry)
        state.readSeq = seq
      }
      const head = engine.head()
      const seq = entries.appliedSeq
      if (head === null || seq === state.savedSeq) return false
      const { number, hash } = head
      await store.saveSnapshot({ chainId, seq, number, hash, format: snapshotFormat }, [
        engine.snapshot(),
      ])
      state.savedSeq = seq
      logger.info({ msg: 'Saved a snapshot', chain: profile.name, blockNumber: number, seq })
      return true
    },
  }
}
