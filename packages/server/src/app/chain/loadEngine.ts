import { createEngine, type Engine, restoreEngine, restoreImage } from '../../engine/engine.ts'
import {
  type ImageDamagedError,
  SnapshotTooNewError,
  SnapshotUnreadableError,
} from '../../engine/errors.ts'
import type { EngineOptions } from '../../engine/marketState.ts'
import { snapshotFormat } from '../../engine/snapshot/snapshotChanges.ts'
import { RecentBlocks, type RecentBlocksOptions } from '../../gateway/recent/recentBlocks.ts'
import { SpooledParts } from '../../lib/files/spooledParts.ts'
import type { Logger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import { withoutHole } from '../../log/log.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import { CorruptStoreError } from '../../store/errors.ts'
import type { Store } from '../../store/openStore.ts'
import type { LogPlace } from '../../store/read/log.ts'
import type { StoredSnapshot } from '../../store/read/snapshots.ts'
import { openImage } from './marketImages.ts'
import { pagingOf } from './marketMemory.ts'

type SnapshotStore = Pick<Store, 'readSnapshots' | 'newestSnapshotFormat' | 'newestSnapshotSum'>
export type LogStore = SnapshotStore & Pick<Store, 'readLog' | 'findReverted'>

type LoadedEngine = { engine: Engine; seq: number; sizeBytes: number; isFromImage: boolean }

/** The image that a market goes on from is damaged: it is of no more use to whoever has it, and the next one is loaded from the snapshot. */
export type OnDamaged = (error: ImageDamagedError) => void

export type LoadedMarket = Pick<LoadedEngine, 'engine' | 'seq'> & {
  /** Those that can still be reverted are among them: a snapshot holds final blocks alone. */
  recent: RecentBlocks
}

/**
 * The newest snapshot that can be read, or an empty market; `seq` is the last entry in it, `sizeBytes` its size. An image of the
 * newest is taken in its place. One that is damaged
 * leaves it to the one before: the log has all that came after any of them. One of a newer version ends it, for a market
 * without what that version knew must not be written over it.
 */
export async function loadSnapshotEngine(
  store: SnapshotStore,
  chainId: number,
  given: Omit<EngineOptions, 'paging'>,
  logger: Logger,
  onDamaged: OnDamaged = () => undefined,
): Promise<LoadedEngine> {
  const { profile } = given
  const paging = pagingOf(profile, logger)
  const loaded = await loadNewest(store, chainId, { ...given, paging }, { logger, onDamaged })
  paging?.join(loaded.engine)
  return loaded
}

async function loadNewest(
  store: SnapshotStore,
  chainId: number,
  options: EngineOptions,
  { logger, onDamaged }: { logger: Logger; onDamaged: OnDamaged },
): Promise<LoadedEngine> {
  const found = await store.newestSnapshotFormat(chainId)
  if (found > snapshotFormat) throw new SnapshotTooNewError({ found, known: snapshotFormat })
  const imaged = await restoreFromImage(store, chainId, options, { logger, onDamaged })
  if (imaged !== null) return imaged
  for await (const snapshot of store.readSnapshots(chainId)) {
    const { seq, format, sizeBytes } = snapshot
    try {
      const engine = await restoreFrom(snapshot, options)
      return { engine, seq, sizeBytes, isFromImage: false }
    } catch (error) {
      if (!(error instanceof SnapshotUnreadableError || error instanceof CorruptStoreError))
        throw error
      const { name: chain } = options.profile
      logger.error({ msg: 'Passed over a snapshot', chain, seq, format, err: error })
    }
  }
  return { engine: createEngine(options), seq: 0, sizeBytes: 0, isFromImage: false }
}

/** Null: there is no image of the newest snapshot, or none that is of use. */
async function restoreFromImage(
  store: SnapshotStore,
  chainId: number,
  options: EngineOptions,
  { logger, onDamaged }: { logger: Logger; onDamaged: OnDamaged },
): Promise<LoadedEngine | null> {
  const { profile } = options
  const newest = await store.newestSnapshotSum(chainId)
  if (newest === null || newest.format !== snapshotFormat) return null
  const { seq, sizeBytes } = newest
  let isAdopted = false
  try {
    const owner = { chainId, profile }
    const image = openImage(owner, {
      of: newest,
      logger,
      // Until then nobody has anything of it.
      onDamaged: (error) => isAdopted && onDamaged(error),
    })
    if (image === null) return null
    const engine = restoreImage(options, image)
    isAdopted = true
    return { engine, seq, sizeBytes, isFromImage: true }
  } catch (err) {
    logger.warn({ msg: 'Passed over an image of the market', chain: profile.name, seq, err })
    return null
  }
}

/** A larger snapshot is read through a file: its bytes would be in memory beside the market. */
const heldSnapshotBytesMax = 2 ** 29

function partsFor({ sizeBytes }: StoredSnapshot, { name, paging }: ChainProfile) {
  if (paging === undefined || sizeBytes <= Math.min(paging.bytesMax, heldSnapshotBytesMax))
    return [] as Uint8Array[]
  return new SpooledParts(paging.directory, `${name}-snapshot`)
}

async function restoreFrom(snapshot: StoredSnapshot, options: EngineOptions): Promise<Engine> {
  const { sizeBytes } = snapshot
  const parts = partsFor(snapshot, options.profile)
  let readBytes = 0
  for await (const chunk of snapshot.chunks()) {
    parts.push(chunk)
    readBytes += chunk.length
  }
  if (readBytes !== sizeBytes)
    throw new SnapshotUnreadableError(`It has ${readBytes} bytes, where ${sizeBytes} were written.`)
  return restoreEngine(options, parts)
}

export type LoadOptions = Pick<RecentBlocksOptions, 'limits' | 'afterSeq'> & {
  /** The last entry to be taken, unless a snapshot has more. @default the last one in the log */
  toSeq?: number | undefined
  /** Also told of what those hear who read: most of them only know that they have no answer. @default nobody is */
  onDamaged?: OnDamaged | undefined
}

/**
 * The market as of the last entry in the log. Blocks that were reverted are passed over: they may be more than an
 * engine can undo.
 */
export async function loadEngine(
  store: LogStore,
  chainId: number,
  profile: ChainProfile,
  logger: Logger,
  { toSeq = Number.POSITIVE_INFINITY, onDamaged, ...kept }: LoadOptions = {},
): Promise<LoadedMarket> {
  const startMs = performance.now()
  const loaded = await loadSnapshotEngine(store, chainId, { profile }, logger, onDamaged)
  const snapshotMs = Math.round(performance.now() - startMs)
  const { engine, sizeBytes: snapshotBytes, isFromImage } = loaded
  let { seq } = loaded
  const { reorgDepthMax } = profile
  const finalizedNumber = engine.finalizedNumber()
  const number = engine.head()?.number ?? -1
  const recent = new RecentBlocks({ seq, number, finalizedNumber, reorgDepthMax, ...kept })
  const places = await store.findReverted(chainId, seq + 1)
  const reverted = revertedEntries(places.filter((place) => place.seq <= toSeq))
  for await (const read of logEntriesAfter(store, { chainId, chain: profile.name, seq })) {
    if (read.seq > toSeq) break
    seq = read.seq
    if (reverted.has(seq)) continue
    recent.applied({ ...read, events: engine.apply(read.entry) })
    recent.persisted(seq)
  }
  recent.keepNewest(reorgDepthMax)
  const entries = seq - loaded.seq
  const entriesMs = Math.round(performance.now() - startMs) - snapshotMs
  const took = { snapshotBytes, isFromImage, snapshotMs, entries, entriesMs }
  logger.info({ msg: 'Loaded a market', chain: profile.name, seq, ...took })
  return { engine, seq, recent }
}

type ReadEntry = { seq: number; entry: LogEntry }

/** What the log has after `seq`. */
export async function* logEntriesAfter(
  store: Pick<Store, 'readLog'>,
  { chainId, chain, seq }: { chainId: number; chain: string; seq: number },
): AsyncGenerator<ReadEntry, void, undefined> {
  for await (const read of withoutHole(store.readLog(chainId, seq + 1), chain, seq))
    yield { seq: read.seq, entry: decodeEntry(read.bytes) }
}

/**
 * The entries that leave no trace: blocks that were reverted, what came late for them, and the reverts that did it.
 * Takes, in log order, all entries about blocks that a revert names.
 */
export function revertedEntries(
  places: readonly Pick<LogPlace, 'seq' | 'type' | 'hash'>[],
): Set<number> {
  const passed = new Set<number>()
  /** By hash, the canonical commit and what came late for it. */
  const standing = new Map<string, number[]>()
  for (const { seq, type, hash } of places) {
    const entries = standing.get(hash)
    if (type === 'commit') standing.set(hash, [seq])
    else if (type === 'late' && entries !== undefined) entries.push(seq)
    else {
      for (const taken of entries ?? []) passed.add(taken)
      passed.add(seq)
      standing.delete(hash)
    }
  }
  return passed
}
