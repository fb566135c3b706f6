import type { Logger } from '../lib/logger.ts'
import { withinMs } from '../lib/withinMs.ts'
import { isDatabaseUnreachable } from './errors.ts'
import type { RequiredSeqs, Store } from './openStore.ts'
import type { StoredCursor } from './read/chains.ts'

type ReplicaReadsOptions = {
  primary: Store
  /** A second server that lags behind the primary. */
  replica: Store
  /** The required entries of both. */
  floor: RequiredSeqs
  logger: Logger
  /**
   * Entries that memory keeps for a replica that is behind; beyond that the primary is read.
   * @default 2_000
   */
  entriesMax?: number
}

const entriesMaxDefault = 2_000
// Limits the wait for a replica that hangs.
const cursorMsMax = 2_000

/**
 * Reads history from a replica while it has all entries that memory has released, else from the
 * primary.
 */
export function createReplicaReads(options: ReplicaReadsOptions): HistoryReads {
  const { primary, replica, floor, logger, entriesMax = entriesMaxDefault } = options
  /** Chains whose history is read from the replica. */
  const onReplica = new Set<number>()

  function turn(chainId: number, isOn: boolean, facts: object): void {
    if (onReplica.has(chainId) === isOn) return
    if (isOn) onReplica.add(chainId)
    else onReplica.delete(chainId)
    const msg = isOn ? 'Reads history from the replica' : 'Reads history from the primary'
    logger.info({ msg, chainId, ...facts })
  }

  async function read<result>(
    chainId: number,
    ask: (store: Store) => Promise<result>,
  ): Promise<result> {
    if (!onReplica.has(chainId)) return await ask(primary)
    try {
      return await ask(replica)
    } catch (error) {
      if (!isDatabaseUnreachable(error)) throw error
      turn(chainId, false, { err: error })
      return await ask(primary)
    }
  }

  async function usableCursor(chainId: number, appliedSeq: number): Promise<StoredCursor> {
    const asked = replica.loadCursor(chainId).catch(() => null)
    const found = await withinMs(asked, cursorMsMax, null)
    const replicaSeq = found?.seq ?? -1
    const floorSeq = floor.of(chainId)
    if (found !== null && replicaSeq >= floorSeq && appliedSeq - replicaSeq <= entriesMax) {
      floor.raise(chainId, Math.min(replicaSeq, appliedSeq))
      turn(chainId, true, { replicaSeq })
      return found
    }
    turn(chainId, false, { replicaSeq, floorSeq, appliedSeq })
    const stored = await primary.loadCursor(chainId)
    // Returns to the replica as soon as memory can hold the entries it lacks.
    if (appliedSeq - floorSeq <= entriesMax) return { ...stored, seq: floorSeq }
    floor.raise(chainId, Math.min(stored.seq, appliedSeq))
    return stored
  }

  return { store: { ...primary, ...historyOf(read) }, startAt: floor.raise, usableCursor }
}

type History = Pick<
  Store,
  | 'loadSwaps'
  | 'loadLiquidity'
  | 'loadKlines'
  | 'loadTrades'
  | 'loadNews'
  | 'topHolders'
  | 'loadBalances'
  | 'loadWalletSwaps'
  | 'loadHistoryStart'
  | 'loadPositions'
  | 'loadTokenPositions'
  | 'loadSmartWallets'
  | 'loadWalletVolumes'
>

/** History reads go to the chosen server, all others to the primary. */
function historyOf(
  read: <result>(chainId: number, ask: (store: Store) => Promise<result>) => Promise<result>,
): History {
  return {
    loadSwaps: (query) => read(query.chainId, (store) => store.loadSwaps(query)),
    loadLiquidity: (query) => read(query.chainId, (store) => store.loadLiquidity(query)),
    loadKlines: (query) => read(query.chainId, (store) => store.loadKlines(query)),
    loadTrades: (query) => read(query.chainId, (store) => store.loadTrades(query)),
    loadNews: (query) => read(query.chainId, (store) => store.loadNews(query)),
    topHolders: (chainId, tokenId, limit) =>
      read(chainId, (store) => store.topHolders(chainId, tokenId, limit)),
    loadBalances: (chainId, keys) => read(chainId, (store) => store.loadBalances(chainId, keys)),
    loadWalletSwaps: (query) => read(query.chainId, (store) => store.loadWalletSwaps(query)),
    loadHistoryStart: (chainId) => read(chainId, (store) => store.loadHistoryStart(chainId)),
    loadPositions: (query) => read(query.chainId, (store) => store.loadPositions(query)),
    loadTokenPositions: (query) => read(query.chainId, (store) => store.loadTokenPositions(query)),
    loadSmartWallets: (chainId) => read(chainId, (store) => store.loadSmartWallets(chainId)),
    loadWalletVolumes: (query) => read(query.chainId, (store) => store.loadWalletVolumes(query)),
  }
}

/**
 * Source of history: stored rows up to the settled entry and memory's entries above it are complete
 * together.
 */
export type HistoryReads = {
  store: Store
  /** Memory has the chain after this entry. */
  startAt(chainId: number, seq: number): void
  /**
   * The entry up to which stored rows can be used, beside a memory with entries up to `appliedSeq`.
   * Called for every read.
   */
  usableCursor(chainId: number, appliedSeq: number): Promise<StoredCursor>
}

/** Reads from the only database. */
export function createPrimaryReads(store: Store, floor: RequiredSeqs): HistoryReads {
  return {
    store,
    startAt: floor.raise,
    async usableCursor(chainId, appliedSeq) {
      const cursor = await store.loadCursor(chainId)
      floor.raise(chainId, Math.min(cursor.seq, appliedSeq))
      return cursor
    },
  }
}
