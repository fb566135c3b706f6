import { createEngine, type Engine, restoreEngine, restoreImage } from '../../engine/engine.ts'
import {
  type ImageDamagedError,
  SnapshotTooNewError,
  SnapshotUnreadableError,
} from '../../engine/errors.ts'
import type { EngineOptions } from '../../engine/marketState.ts'
import type { PagingOptions } from '../../engine/pages/marketMemory.ts'
import { snapshotFormat } from '../../engine/snapshot/snapshotChanges.ts'
import { RecentBlocks, type RecentBlocksOptions } from '../../gateway/chain/recentBlocks.ts'
import { PageFile, SnapshotFile } from '../../lib/files/marketFiles.ts'
import type { Logger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import { assertConsecutive } from '../../log/log.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import { CorruptStoreError } from '../../store/errors.ts'
import type { Store } from '../../store/openStore.ts'
import type { LogEntryRef } from '../../store/read/log.ts'
import type { StoredSnapshot } from '../../store/read/snapshots.ts'
import { openMarketImage } from './marketImages.ts'

export type SnapshotStore = Pick<
  Store,
  'readSnapshots' | 'newestSnapshotFormat' | 'newestSnapshotSum'
>
export type LogStore = SnapshotStore & Pick<Store, 'readLog' | 'findReverted'>

type LoadedEngine = { engine: Engine; seq: number; sizeBytes: number; isFromImage: boolean }

/**
 * Called when the image a market reads from is damaged. The market is unusable; the next load uses
 * the snapshot.
 */
export type OnMarketImageDamaged = (error: ImageDamagedError) => void

export type LoadedMarket = Pick<LoadedEngine, 'engine' | 'seq'> & {
  /**
   * Newest blocks, including every block that can still be reverted: snapshots hold only final
   * blocks.
   */
  recent: RecentBlocks
}

/**
 * Loads the newest readable snapshot, or an empty market. `seq` is the last entry the snapshot
 * contains, `sizeBytes` its size. An image of the newest snapshot is preferred.
 * A damaged snapshot is skipped for an older one, since the log still has every later entry. A
 * snapshot of a newer format throws: overwriting it would lose what the newer version stored.
 */
export async function loadSnapshotEngine(
  store: SnapshotStore,
  chainId: number,
  given: Omit<EngineOptions, 'paging'>,
  logger: Logger,
  onDamaged: OnMarketImageDamaged = () => undefined,
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
  { logger, onDamaged }: { logger: Logger; onDamaged: OnMarketImageDamaged },
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
      logger.error({ msg: 'Skipped an unreadable snapshot', chain, seq, format, err: error })
    }
  }
  return { engine: createEngine(options), seq: 0, sizeBytes: 0, isFromImage: false }
}

/** Loads the image of the newest snapshot; null: no usable image exists. */
async function restoreFromImage(
  store: SnapshotStore,
  chainId: number,
  options: EngineOptions,
  { logger, onDamaged }: { logger: Logger; onDamaged: OnMarketImageDamaged },
): Promise<LoadedEngine | null> {
  const { profile } = options
  const newest = await store.newestSnapshotSum(chainId)
  if (newest === null || newest.format !== snapshotFormat) return null
  const { seq, sizeBytes } = newest
  let isAdopted = false
  try {
    const owner = { chainId, profile }
    const image = openMarketImage(owner, newest, logger, (error) => {
      // Before the engine is adopted nothing reads from the image, so damage only makes the load
      // fall back.
      if (isAdopted) onDamaged(error)
    })
    if (image === null) return null
    const engine = restoreImage(options, image)
    isAdopted = true
    return { engine, seq, sizeBytes, isFromImage: true }
  } catch (err) {
    logger.warn({ msg: 'Skipped an unreadable image of the market', chain: profile.name, seq, err })
    return null
  }
}

/** Larger snapshots are read through a file: in memory their bytes would add to the market's. */
const memorySnapshotBytesMax = 2 ** 29

function partsFor({ sizeBytes }: StoredSnapshot, { name, paging }: ChainProfile) {
  if (paging === undefined || sizeBytes <= Math.min(paging.bytesMax, memorySnapshotBytesMax))
    return [] as Uint8Array[]
  return new SnapshotFile(paging.directory, `${name}-snapshot`)
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
  /**
   * Last entry to apply, unless the snapshot already contains more. @default the last entry in the
   * log
   */
  toSeq?: number | undefined
  /**
   * Also called when the market's image turns out to be damaged. Readers get an error too, but most
   * of them only fail their own request. @default not called
   */
  onDamaged?: OnMarketImageDamaged | undefined
}

/**
 * Loads the market up to the last log entry. Reverted blocks are skipped, since a revert may go
 * deeper than an engine can undo.
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

/** Iterates over decoded log entries after `seq`. */
export async function* logEntriesAfter(
  store: Pick<Store, 'readLog'>,
  { chainId, chain, seq }: { chainId: number; chain: string; seq: number },
): AsyncGenerator<ReadEntry, void, undefined> {
  for await (const read of assertConsecutive(store.readLog(chainId, seq + 1), chain, seq))
    yield { seq: read.seq, entry: decodeEntry(read.bytes) }
}

/**
 * Returns entries that cancel out: reverted blocks, their late facts, and the reverts. Expects, in
 * log order, every entry about a block that some revert names.
 */
export function revertedEntries(
  places: readonly Pick<LogEntryRef, 'seq' | 'type' | 'hash'>[],
): Set<number> {
  const passed = new Set<number>()
  /** Block hash → seqs of its canonical commit and late facts. */
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

/**
 * Directory of page files → markets of this thread that use it. Markets of one directory share one
 * memory limit.
 */
const markets = new Map<string, Set<WeakRef<Engine>>>()

export type MarketPaging = PagingOptions & {
  /** Counts the market against the shared limit until it is garbage collected. */
  join(engine: Engine): void
}

/** A market may use the memory that the other markets leave, and always at least an even share. */
export function pagingOf(
  { name: chain, paging }: ChainProfile,
  logger: Logger,
): MarketPaging | undefined {
  if (paging === undefined) return undefined
  const { directory, bytesMax } = paging
  const all = markets.get(directory) ?? new Set()
  markets.set(directory, all)
  let own: Engine | null = null
  return {
    get residentBytesMax() {
      let otherBytes = 0
      let count = 1
      for (const market of all) {
        const engine = market.deref()
        if (engine === undefined) all.delete(market)
        else if (engine !== own) {
          otherBytes += engine.residentBytes()
          count += 1
        }
      }
      return Math.max(bytesMax - otherBytes, bytesMax / count)
    },
    openFile: (name, pageBytes) => new PageFile(directory, `${chain}-${name}`, pageBytes),
    schedule: (settle) => void setImmediate(settle),
    onWriteError: (err) =>
      logger.warn({ msg: 'Failed to write pages of the market; it stays in memory', chain, err }),
    join(engine) {
      own = engine
      all.add(new WeakRef(engine))
    },
  }
}
