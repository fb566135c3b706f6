import { type Ancestor, ReorgTooDeepError } from '../../chain/errors.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { decodeChanges } from '../../ledger/undo.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Cursor } from '../../store/blockWrite.ts'
import type { BlockWriter } from '../../store/blockWriter.ts'
import type { Store } from '../../store/openStore.ts'
import type { StoredBlock } from '../../store/read/log.ts'
import type { Retention } from '../../store/retention.ts'
import { ChainStoppedError } from '../errors.ts'
import { encodeRevertEntry } from '../pipeline/entrySender.ts'
import type { ChainRuntime } from './chainRuntime.ts'

export type RewindOptions = {
  store: Pick<Store, 'openWriter' | 'loadCursor' | 'readLogTail'>
  chainId: number
  chain: string
  retention: Partial<Retention>
  ancestor: Ancestor
  logger: Logger
}

// An undo record is about 50 kB on a busy chain.
const blocksPerRound = 128

/**
 * Reverts stored blocks above the ancestor, newest first, one atomic write per block, as live
 * indexing would. Returns their number. If interrupted, the next start finds a shorter, consistent
 * chain and continues.
 */
export async function rewindStore(options: RewindOptions): Promise<number> {
  const { store, chainId, chain, retention, ancestor, logger } = options
  const writer = await store.openWriter({ chainId, chain, retention })
  try {
    const first = await store.loadCursor(chainId)
    let cursor: Cursor = first
    while (cursor.number > ancestor.number) {
      const stored = await store.readLogTail(chainId, blocksPerRound)
      const tail = stored.filter(({ ref }) => ref.number > ancestor.number)
      // The log ends above the ancestor because the missing blocks are final, or a block has no
      // undo record because it was final when read, even if the cursor does not yet show its
      // finality.
      const isCut = stored.length < blocksPerRound && !isReached(tail, ancestor)
      if (isCut || tail.some(({ undo }) => undo === null)) {
        const depthMax = cursor.seq - first.seq
        throw new ReorgTooDeepError({ chain, depth: depthMax + tail.length, depthMax })
      }
      for (const block of tail.reverse()) cursor = revertBlock(writer, block, cursor, options)
      await writer.flush()
    }
    const blocks = cursor.seq - first.seq
    logger.warn({
      msg: 'Rolled back stored blocks',
      chain,
      blocks,
      ancestorNumber: ancestor.number,
    })
    return blocks
  } finally {
    await writer.close()
  }
}

/** Returns whether the ancestor is the parent of the oldest of these blocks. */
function isReached([oldest]: readonly StoredBlock[], ancestor: Ancestor): boolean {
  return oldest !== undefined && oldest.ref.parentNumber <= ancestor.number
}

function revertBlock(
  writer: BlockWriter,
  { ref, undo }: StoredBlock,
  before: Cursor,
  { chainId, ancestor }: RewindOptions,
): Cursor {
  const { type, bytes, changes } = encodeRevertEntry(ref, undo!)
  const isStart = ref.parentNumber <= ancestor.number && ancestor.hash === null
  const headAfter = isStart
    ? { number: -1, hash: '' }
    : { number: ref.parentNumber, hash: ref.parentHash }
  const seq = writer.append({
    chainId,
    expectedSeq: before.seq,
    headAfter,
    reverted: ref,
    entries: [{ type, ref, bytes, undo: null }],
    events: [],
    balances: decodeChanges(changes!),
    nowS: Math.floor(Date.now() / 1_000),
  })
  return { seq, ...headAfter }
}

type ChainRewindsOptions = {
  store: Store
  retention: Partial<Retention>
  logger: Logger
  metrics: Metrics
  open(setup: ChainSetup): Promise<ChainRuntime>
  start(runtime: ChainRuntime, setup: ChainSetup): Promise<void>
  close(name: string): Promise<void>
  onFatal(error: AppError): void
}

/** Reorgs that go deeper than memory: each reverts a chain's newest blocks in the store. */
type ChainRewinds = {
  /**
   * Closes the chain's runtime, reverts the store down to the ancestor, and opens the chain again
   * as a restart would.
   */
  begin(chainId: number, ancestor: Ancestor, setup: ChainSetup): void
  /** Resolves when no rewind of this chain is running. */
  ended(name: string): Promise<void>
  /** Reopens no more chains; resolves when running rewinds have ended. */
  stop(): Promise<void>
}

export function createChainRewinds(options: ChainRewindsOptions): ChainRewinds {
  const { store, retention, logger, metrics, open, start, close, onFatal } = options
  const running = new Map<string, Promise<void>>()
  let isStopped = false

  async function rewind(chainId: number, ancestor: Ancestor, setup: ChainSetup): Promise<void> {
    const chain = setup.profile.name
    await close(chain)
    if (isStopped) return
    const blocks = await rewindStore({ store, chainId, chain, retention, ancestor, logger })
    metrics.revertsTotal.inc({ chain }, blocks)
    if (isStopped) return
    await start(await open(setup), setup)
  }

  return {
    begin(chainId, ancestor, setup) {
      const chain = setup.profile.name
      const ending = rewind(chainId, ancestor, setup)
        .catch((cause: unknown) => onFatal(new ChainStoppedError({ chain, cause })))
        .finally(() => running.delete(chain))
      running.set(chain, ending)
    },
    async ended(name) {
      await running.get(name)
    },
    async stop() {
      isStopped = true
      await Promise.all(running.values())
    },
  }
}
