import { createEngine, type Engine, restoreEngine } from '../engine/engine.ts'
import { SnapshotUnreadableError } from '../engine/errors.ts'
import { type StandingBlock, StandingBlocks } from '../gateway/feed/standingBlocks.ts'
import type { Logger } from '../lib/logger.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { Store } from '../store/openStore.ts'
import { logEntriesAfter } from './logEntries.ts'
import { takenBackEntries } from './takenBackEntries.ts'

/** Version of snapshot bytes; raised with every change of the engine's layout or rules. */
export const snapshotFormat = 6

export type LogStore = Pick<Store, 'loadSnapshot' | 'readLog' | 'findTakenBack'>

export type LoadedEngine = { engine: Engine; seq: number }

export type LoadedMarket = LoadedEngine & {
  /** Those that can still be taken back are among them: a snapshot holds final blocks alone. */
  newest: readonly StandingBlock[]
}

/** The newest snapshot that can be read, or an empty market; `seq` is the last entry in it. */
export async function loadSnapshotEngine(
  store: Pick<Store, 'loadSnapshot'>,
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
    // The log may still begin at the start; reading it finds out.
    logger.warn({ msg: 'Passed over a snapshot of another version', err: error })
    return { engine: createEngine({ profile }), seq: 0 }
  }
}

/**
 * The market as of the last entry in the log. Blocks that were taken back are passed over: they may be more than an
 * engine can undo.
 */
export async function loadEngine(
  store: LogStore,
  chainId: number,
  profile: ChainProfile,
  logger: Logger,
): Promise<LoadedMarket> {
  const loaded = await loadSnapshotEngine(store, chainId, profile, logger)
  const { engine } = loaded
  let { seq } = loaded
  const blocks = new StandingBlocks(profile.reorgDepthMax)
  const takenBack = takenBackEntries(await store.findTakenBack(chainId, seq + 1))
  for await (const read of logEntriesAfter(store, { chainId, chain: profile.name, seq })) {
    seq = read.seq
    if (!takenBack.has(seq)) blocks.applied(read.entry, engine.apply(read.entry))
  }
  return { engine, seq, newest: blocks.newest() }
}
