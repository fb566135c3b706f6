import { createEngine, type Engine, restoreEngine } from '../engine/engine.ts'
import { SnapshotUnreadableError } from '../engine/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { decodeEntry } from '../log/entryCodec.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Store } from '../store/openStore.ts'

/** Version of snapshot bytes; raised with every change of the engine's layout or rules. */
export const snapshotFormat = 3

export type LoadedEngine = { engine: Engine; seq: number }

/** The newest snapshot that can be read, or an empty market; `seq` is the last entry in it. */
export async function loadSnapshotEngine(
  store: Store,
  chainId: number,
  profile: ChainProfile,
  logger: Logger,
): Promise<LoadedEngine> {
  const snapshot = await store.loadSnapshot(chainId, snapshotFormat)
  if (snapshot === null) return { engine: createEngine({ profile }), seq: 0 }
  const parts: Uint8Array[] = []
  for await (const chunk of snapshot.chunks()) parts.push(chunk)
  try {
    return { engine: restoreEngine({ profile }, Buffer.concat(parts)), seq: snapshot.seq }
  } catch (error) {
    if (!(error instanceof SnapshotUnreadableError)) throw error
    // The log may still begin at the start; the cursor check below it finds out.
    logger.warn({ msg: 'Passed over a snapshot of another version', err: error })
    return { engine: createEngine({ profile }), seq: 0 }
  }
}

/** The market as of the last entry in the log. */
export async function loadEngine(
  store: Store,
  chainId: number,
  profile: ChainProfile,
  logger: Logger,
): Promise<LoadedEngine> {
  const loaded = await loadSnapshotEngine(store, chainId, profile, logger)
  let { seq } = loaded
  for await (const entry of store.readLog(chainId, seq + 1)) {
    loaded.engine.apply(decodeEntry(entry.bytes))
    seq = entry.seq
  }
  return { engine: loaded.engine, seq }
}
