import { strict as assert } from 'node:assert'
import type { Engine } from '../../engine/engine.ts'
import { snapshotFormat } from '../../engine/snapshot/snapshotChanges.ts'
import type { Logger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import { withoutHole } from '../../log/log.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { Store } from '../../store/openStore.ts'
import type { LogPlace } from '../../store/read/log.ts'
import { loadSnapshotEngine } from '../chain/loadEngine.ts'
import { isImaged, writeMarketImage } from '../chain/marketImages.ts'

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
  /** @default performance.now */
  nowMs?: (() => number) | undefined
}

export type SavedSnapshot = {
  /** Its block. */
  number: number
  /** For how long the next one is not worth what it takes. */
  restMs: number
}

export type SnapshotRound = {
  /** Null: nothing new became final. */
  saved: SavedSnapshot | null
  /** The next one goes on from an image: nothing of a large market is held until then. */
  isLetGo: boolean
}

export type Snapshotter = {
  /** Reads the log to its end and saves the state of what is final. */
  take(): Promise<SnapshotRound>
}

/** Of the time that saving one took: a database has more to do than to store gigabytes again and again. */
const restTimes = 10
/** One that is saved within this time is never waited for. */
const quickSaveMs = 30_000
/** Of what a market may have in memory: nobody waits for the one that goes through all of it. */
const pagedShare = 1 / 2

type SnapshotState = {
  engine: Engine
  /** Whether images are written, too: it has all that they have. */
  isImaged: boolean
  /** It has become one that images are written of. */
  isOutgrown: boolean
  /** There is an image of its newest snapshot. */
  hasImage: boolean
  entries: FinalEntries
  readSeq: number
  savedSeq: number
}

export function createSnapshotter(options: SnapshotterOptions): Snapshotter {
  const { chainId, store, logger, nowMs = () => performance.now() } = options
  // Nothing it applies is ever reverted, so it keeps no undo; and nobody asks it for anything.
  const profile = { ...options.profile, reorgDepthMax: 0 }
  const { paging } = profile
  let state: SnapshotState | null = null

  async function load(): Promise<SnapshotState> {
    const newest = await store.newestSnapshotSum(chainId)
    const isLarge = isImaged(profile, newest?.sizeBytes ?? 0)
    const given = {
      profile: paging
        ? { ...profile, paging: { ...paging, bytesMax: paging.bytesMax * pagedShare } }
        : profile,
      isIndexed: isLarge,
    }
    const loaded = await loadSnapshotEngine(store, chainId, given, logger)
    const { engine, seq, isFromImage: hasImage } = loaded
    const entries = new FinalEntries(seq, engine.finalizedNumber())
    const kind = { isImaged: isLarge, isOutgrown: false, hasImage }
    return { engine, ...kind, entries, readSeq: seq, savedSeq: seq }
  }

  /** Whether a block may have become final after the newest snapshot: a large market is not loaded to find that none did. */
  async function mayHaveNews(): Promise<boolean> {
    const newest = await store.newestSnapshotSum(chainId)
    if (newest === null || newest.format !== snapshotFormat) return true
    if (!isImaged(profile, newest.sizeBytes)) return true
    return (await store.loadCursor(chainId)).finalized > newest.number
  }

  /** What became final by what the log has now. */
  async function readOn(state: SnapshotState): Promise<number[]> {
    const due: number[] = []
    const places = store.readLogPlaces(chainId, state.readSeq + 1)
    for await (const place of withoutHole(places, profile.name, state.readSeq)) {
      due.push(...state.entries.put(place))
      state.readSeq = place.seq
    }
    // What is final is said before the blocks that wait for more of it; in log order it means the same.
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
    // The engine stays as it is until all of it is stored.
    const owner = { chainId, profile }
    const image = state.isImaged ? await writeMarketImage(owner, engine.image(), logger) : null
    const sum = await store.saveSnapshot(place, engine.snapshot())
    await image?.keep({ seq, digest: sum.digest })
    state.hasImage = image !== null
    state.isOutgrown = !state.isImaged && isImaged(profile, sum.sizeBytes)
    const tookMs = nowMs() - startMs
    const restMs = tookMs > quickSaveMs ? restTimes * tookMs : 0
    logger.info({ msg: 'Saved a snapshot', chain: profile.name, blockNumber: number, seq })
    return { number, restMs }
  }

  return {
    async take() {
      if (state === null && !(await mayHaveNews())) return { saved: null, isLetGo: false }
      const reached = state ?? (await load())
      // Loaded again after a failure, for half a round may be in the engine; and once it lacks what an image has.
      state = null
      await applyAll(reached.engine, await readOn(reached))
      const saved = await save(reached)
      if (saved !== null) reached.savedSeq = reached.entries.appliedSeq
      const isLetGo = reached.hasImage
      state = reached.isOutgrown || isLetGo ? null : reached
      return { saved, isLetGo }
    },
  }
}

/**
 * Lets entries of the log through once nothing can revert them any more, in order and without those that were
 * reverted meanwhile. Knows where they are, not what they say: a chain may be far ahead of what is final.
 */
export class FinalEntries {
  /** In log order; commits and late facts that may still be reverted. */
  private pending: LogPlace[] = []
  private finalizedNumber: number
  private lastSeq: number

  /** For a reader that goes on after this entry, and knows all up to this block to be final. */
  constructor(lastSeq: number, finalizedNumber: number) {
    this.lastSeq = lastSeq
    this.finalizedNumber = finalizedNumber
  }

  /** The sequences of entries that became final with this one, oldest first. */
  put(place: LogPlace): number[] {
    const { seq, type, number, hash } = place
    assert(seq === this.lastSeq + 1, 'the log has no hole')
    this.lastSeq = seq
    if (type === 'commit' || type === 'late') this.pending.push(place)
    else if (type === 'revert') this.pending = this.pending.filter((other) => other.hash !== hash)
    if (type !== 'finalize') return this.release()
    this.finalizedNumber = number
    // Goes along: a reader that starts after it must know what is final, too.
    return [...this.release(), seq]
  }

  /** A reader that has applied all released entries goes on after this one. */
  get appliedSeq(): number {
    return (this.pending[0]?.seq ?? this.lastSeq + 1) - 1
  }

  private release(): number[] {
    let count = 0
    while (count < this.pending.length && this.pending[count]!.number <= this.finalizedNumber)
      count += 1
    return this.pending.splice(0, count).map(({ seq }) => seq)
  }
}
