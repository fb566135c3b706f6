import type { Logger } from '../lib/logger.ts'
import type { BlockRef, NodeFault } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { LateFacts } from '../model/logEntry.ts'
import type { PairRecord } from '../model/pair.ts'
import type { ResolvedBlock } from '../model/resolvedBlock.ts'
import type { IgnoredContract, IgnoredContractChanges } from '../model/trust/ignoredContracts.ts'
import { BlockResolver, type ResolveOptions, type ResolverStats } from './blockResolver.ts'
import type { ChainReader } from './chainReader.ts'
import { type Clock, systemClock } from './clock.ts'
import { createPrefetchingReader } from './prefetchingReader.ts'
import type { OpenQuestions } from './questions/openQuestions.ts'
import type { RecordsToRevert } from './questions/questions.ts'
import type { RecordReader } from './records/recordReader.ts'
import { type ResolverLimits, resolverLimitsDefault } from './resolverLimits.ts'

export type ResolverOptions = {
  profile: ChainProfile
  reader: ChainReader
  records: RecordReader
  /** First unused ids: one more than the highest in the store, or 0. */
  nextTokenId: number
  nextPairId: number
  /** Open questions of an earlier run. @default none */
  openQuestions?: Partial<OpenQuestions> | undefined
  /**
   * Contracts that an earlier run ignored because they did not answer like pools. They are asked
   * again.
   */
  ignoredContracts?: readonly IgnoredContract[] | undefined
  limits?: Partial<ResolverLimits> | undefined
  clock?: Clock | undefined
  logger: Logger
  /** When aborted, the current block stops waiting for answers and fails. @default never */
  signal?: AbortSignal | undefined
}

/** Adds to decoded blocks everything that needs I/O, one block at a time, in order. */
export type Resolver = {
  /** Starts reading what the block will need. The block may be dropped without being resolved. */
  prefetch(block: DecodedBlock): void
  /** May be retried with the same block after it threw. */
  resolve(block: DecodedBlock, options: ResolveOptions): Promise<ResolvedBlock>
  /** Reverts the newest block. `created` is required for a block that another process resolved. */
  revert(ref: BlockRef, created?: RecordsToRevert | undefined): void
  /**
   * Reports that the store has all blocks up to `number`: their records may be evicted from memory.
   */
  onPersisted(number: number): void
  /** Returns facts that arrived since the last call, for blocks that were resolved without them. */
  takeLateFacts(): LateFacts[]
  /** Returns how the newest block changed the record of ignored contracts; null if unchanged. */
  takeIgnoredChanges(): IgnoredContractChanges | null
  /** Returns a pair if it is in memory. */
  pairOf(address: string): PairRecord | undefined
  stats(): ResolverStats
  /**
   * The unanswered request the current block waits for, with the last error. Null while nothing
   * blocks.
   */
  waitingFor(): NodeFault | null
  close(): void
}

export function createResolver(options: ResolverOptions): Resolver {
  const limits = { ...resolverLimitsDefault, ...options.limits }
  const reader = createPrefetchingReader(options.reader, limits)
  const blocks = new BlockResolver({
    ...options,
    reader,
    limits,
    clock: options.clock ?? systemClock,
    signal: options.signal ?? new AbortController().signal,
  })
  return {
    prefetch: (block) => reader.prefetch(blocks.prefetchQueryOf(block)),
    resolve: (block, resolveOptions) => blocks.resolve(block, resolveOptions),
    revert: (ref, created) => blocks.revert(ref, created),
    onPersisted: (number) => blocks.onPersisted(number),
    takeLateFacts: () => blocks.facts.takeLateFacts(),
    takeIgnoredChanges: () => blocks.takeIgnoredChanges(),
    pairOf: (address) => blocks.pairOf(address),
    stats: () => blocks.stats(),
    waitingFor: () => blocks.waitingFor,
    close() {
      reader.close()
      blocks.close()
    },
  }
}
