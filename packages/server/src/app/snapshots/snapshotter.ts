import { strict as assert } from 'node:assert'
import type { Engine } from '../../engine/engine.ts'
import { snapshotFormat } from '../../engine/snapshot/snapshotChanges.ts'
import type { Logger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import { assertConsecutive } from '../../log/log.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { Store } from '../../store/openStore.ts'
import type { LogEntryRef } from '../../store/read/log.ts'
import { loadSnapshotEngine, type SnapshotStore } from './loadEngine.ts'
import { hasMarketImage, needsMarketImage, writeMarketImage } from './marketImages.ts'

export type SnapshotterOptions = {
  chainId: number
  profile: ChainProfile
  store: Pick<
    Store,
    | 'readLog'
    | 'readLogPlaces'
    | 'readSnapshots'
    | 'newestSnapshotFormat'
    | 'newestSnapshotSum'
    | 'loadCursor'
    | 'saveSnapshot'
  >
  logger: Logger
  /** Monotonic clock in milliseconds. @default performance.now */
  nowMs?: (() => number) | undefined
}

export type SavedSnapshot = {
  /** Block of the snapshot. */
  number: number
  /** How long to wait before the next snapshot, if this one was expensive. */
  restMs: number
}

export type SnapshotRound = {
  /** The saved snapshot; null: nothing new became final. */
  saved: SavedSnapshot | null
  /** True if the engine was released, because the next round can load an image of it. */
  isReleased: boolean
}

export type Snapshotter = {
  /** Reads the log to its end and saves a snapshot of the final state. */
  take(): Promise<SnapshotRound>
}

/**
 * Rest between snapshots, as a multiple of the time that saving took: writing gigabytes again and
 * again would strain the database.
 */
const restTimes = 10
/** Snapshots saved within this time need no rest. */
const quickSaveMs = 30_000
/**
 * Share of the served market's memory. Snapshots run in the background, so paging may slow them
 * down.
 */
const pagedShare = 1 / 2

type SnapshotState = {
  engine: Engine
  /**
   * Whether images are written. If so, the engine was created with the lookup index that images
   * contain.
   */
  isImaged: boolean
  /** The market has grown large enough for images since it was loaded. */
  isOutgrown: boolean
  /** The newest snapshot has an image. */
  hasImage: boolean
  entries: FinalEntryQueue
  readSeq: number
  savedSeq: number
}

export function createSnapshotter(options: SnapshotterOptions): Snapshotter {
  const { chainId, store, logger, nowMs = () => performance.now() } = options
  // The engine applies only final entries, so it keeps no undo.
  const profile = { ...options.profile, reorgDepthMax: 0 }
  let state: SnapshotState | null = null

  async function load(): Promise<SnapshotState> {
    const newest = await store.newestSnapshotSum(chainId)
    const isLarge = needsMarketImage(profile, newest?.sizeBytes ?? 0)
    const given = { profile: withSnapshotMemory(profile), isIndexed: isLarge }
    const loaded = await loadSnapshotEngine(store, chainId, given, logger)
    const { engine, seq, isFromImage: hasImage } = loaded
    const entries = new FinalEntryQueue(seq, engine.finalizedNumber())
    const kind = { isImaged: isLarge, isOutgrown: false, hasImage }
    return { engine, ...kind, entries, readSeq: seq, savedSeq: seq }
  }

  /**
   * Returns whether a block may have become final since the newest snapshot, without loading a
   * large market to find out.
   */
  async function mayHaveNews(): Promise<boolean> {
    const newest = await store.newestSnapshotSum(chainId)
    if (newest === null || newest.format !== snapshotFormat) return true
    if (!needsMarketImage(profile, newest.sizeBytes)) return true
    return (await store.loadCursor(chainId)).finalized > newest.number
  }

  /** Reads new log positions and returns the seqs that became final. */
  async function readOn(state: SnapshotState): Promise<number[]> {
    const due: number[] = []
    const places = store.readLogPlaces(chainId, state.readSeq + 1)
    for await (const place of assertConsecutive(places, profile.name, state.readSeq)) {
      due.push(...state.entries.put(place))
      state.readSeq = place.seq
    }
    // A finalize entry is released before older entries that wait for a later one; sorting restores
    // log order, with the same meaning.
    return due.sort((a, b) => a - b)
  }

  async function applyAll(engine: Engine, due: readonly number[]): Promise<void> {
    let done = 0
    if (due.length === 0) return
    for await (const { seq, bytes } of store.readLog(chainId, due[0]!)) {
      if (seq !== due[done]) continue
      engine.apply(decodeEntry(bytes))
      done += 1
      if (done === due.length) return
    }
    assert.fail('what was read of the log is still there')
  }

  async function save(state: SnapshotState): Promise<SavedSnapshot | null> {
    const { engine, entries, savedSeq } = state
    const head = engine.head()
    const seq = entries.appliedSeq
    const startMs = nowMs()
    if (head === null || seq === savedSeq) return null
    const { number, hash } = head
    const place = { chainId, seq, number, hash, format: snapshotFormat }
    // The engine must not change until the image and the snapshot are stored.
    const owner = { chainId, profile }
    const image = state.isImaged ? await writeMarketImage(owner, engine.image(), logger) : null
    const sum = await store.saveSnapshot(place, engine.snapshot())
    await image?.publish({ seq, digest: sum.digest })
    state.hasImage = image !== null
    state.isOutgrown = !state.isImaged && needsMarketImage(profile, sum.sizeBytes)
    const restMs = restMsAfter(nowMs() - startMs)
    logger.info({ msg: 'Saved a snapshot', chain: profile.name, blockNumber: number, seq })
    return { number, restMs }
  }

  return {
    async take() {
      if (state === null && !(await mayHaveNews())) return { saved: null, isReleased: false }
      const reached = state ?? (await load())
      // The engine is loaded again after a failure, which may leave half of the entries applied,
      // and after it was released.
      state = null
      await applyAll(reached.engine, await readOn(reached))
      const saved = await save(reached)
      if (saved !== null) reached.savedSeq = reached.entries.appliedSeq
      const isReleased = reached.hasImage
      state = reached.isOutgrown || isReleased ? null : reached
      return { saved, isReleased }
    },
  }
}

/**
 * Writes the image of the newest snapshot unless it exists, for a process that follows the log and
 * stores no snapshots: its restarts then need not read the snapshot.
 */
export async function writeImageOfNewest({
  chainId,
  profile,
  store,
  logger,
  nowMs = () => performance.now(),
}: Omit<SnapshotterOptions, 'store'> & { store: SnapshotStore }): Promise<SnapshotRound> {
  const nothing = { saved: null, isReleased: false }
  const owner = { chainId, profile }
  const newest = await store.newestSnapshotSum(chainId)
  if (newest === null || newest.format !== snapshotFormat) return nothing
  if (!needsMarketImage(profile, newest.sizeBytes) || hasMarketImage(owner, newest)) return nothing
  const startMs = nowMs()
  const given = { profile: withSnapshotMemory(profile) }
  const { engine, seq } = await loadSnapshotEngine(store, chainId, given, logger)
  // Another snapshot was loaded if the newest is damaged or was replaced meanwhile.
  const image = seq === newest.seq ? await writeMarketImage(owner, engine.image(), logger) : null
  await image?.publish(newest)
  const { number } = newest
  const saved = image === null ? null : { number, restMs: restMsAfter(nowMs() - startMs) }
  return { saved, isReleased: true }
}

/** Returns the profile with the memory of an engine that writes snapshots or images. */
function withSnapshotMemory(profile: ChainProfile): ChainProfile {
  const { paging } = profile
  if (paging === undefined) return profile
  return { ...profile, paging: { ...paging, bytesMax: paging.bytesMax * pagedShare } }
}

function restMsAfter(tookMs: number): number {
  return tookMs > quickSaveMs ? restTimes * tookMs : 0
}

/**
 * Releases log entries in order once nothing can revert them, without those that were reverted.
 * Holds only positions and not contents, since a chain may be far ahead of its final block.
 */
export class FinalEntryQueue {
  /** Commits and late facts that may still be reverted, in log order. */
  #pending: LogEntryRef[] = []
  #finalizedNumber: number
  #lastSeq: number

  /** Starts after `lastSeq`, with every block up to `finalizedNumber` final. */
  constructor(lastSeq: number, finalizedNumber: number) {
    this.#lastSeq = lastSeq
    this.#finalizedNumber = finalizedNumber
  }

  /** Adds an entry; returns the seqs that became final with it, oldest first. */
  put(place: LogEntryRef): number[] {
    const { seq, type, number, hash } = place
    assert(seq === this.#lastSeq + 1, 'the log has no hole')
    this.#lastSeq = seq
    if (type === 'commit' || type === 'late') this.#pending.push(place)
    else if (type === 'revert') this.#pending = this.#pending.filter((other) => other.hash !== hash)
    if (type !== 'finalize') return this.#release()
    this.#finalizedNumber = number
    // Include the finalize entry itself: a reader that starts after it must know the final block.
    return [...this.#release(), seq]
  }

  /** Seq after which a reader that applied all released entries continues. */
  get appliedSeq(): number {
    return (this.#pending[0]?.seq ?? this.#lastSeq + 1) - 1
  }

  #release(): number[] {
    let count = 0
    while (count < this.#pending.length && this.#pending[count]!.number <= this.#finalizedNumber)
      count += 1
    return this.#pending.splice(0, count).map(({ seq }) => seq)
  }
}
