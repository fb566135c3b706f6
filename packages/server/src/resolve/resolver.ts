import type { Logger } from '../lib/logger.ts'
import type { BlockRef, NodeFault } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { LateFacts } from '../model/logEntry.ts'
import type { PairRecord } from '../model/pair.ts'
import type { ResolvedBlock } from '../model/resolvedBlock.ts'
import type { LeftOutChanges, LeftOutContract } from '../model/trust/leftOut.ts'
import {
  BlockResolver,
  type CreatedRecords,
  type ResolveOptions,
  type ResolverStats,
} from './blockResolver.ts'
import type { ChainReader } from './chainReader.ts'
import { type Clock, systemClock } from './clock.ts'
import { createPrefetchingReader } from './prefetchingReader.ts'
import type { OpenSubjects } from './questions/openSubjects.ts'
import type { RecordReader } from './records/recordReader.ts'
import { type ResolverLimits, resolverLimitsDefault } from './resolverLimits.ts'

export type ResolverOptions = {
  profile: ChainProfile
  reader: ChainReader
  records: RecordReader
  /** First ids that are free: one more than the highest in the store, or 0. */
  nextTokenId: number
  nextPairId: number
  /** @default nothing */
  open?: Partial<OpenSubjects> | undefined
  /** Contracts that an earlier run found to be no pools, and left out; they are asked again. */
  leftOut?: readonly LeftOutContract[] | undefined
  limits?: Partial<ResolverLimits> | undefined
  clock?: Clock | undefined
  logger: Logger
  /** Ends the waiting for what a block cannot do without; the block is not resolved then. @default never */
  signal?: AbortSignal | undefined
}

/** Adds to a block what needs I/O. One block at a time, in order. */
export type Resolver = {
  /** Begins to read what the block will need; it need not come to be resolved. */
  prefetch(block: DecodedBlock): void
  /** May be called again with the same block after it threw. */
  resolve(block: DecodedBlock, options: ResolveOptions): Promise<ResolvedBlock>
  /** Takes the newest block back. `created` is needed for a block that another process resolved. */
  revert(ref: BlockRef, created?: CreatedRecords | undefined): void
  /** The store has all blocks up to this number: what they made may leave the memory. */
  persisted(number: number): void
  /** What has come since the last call for blocks that were resolved without it. */
  lateFacts(): LateFacts[]
  /** What the newest block changed of the contracts whose events are left out; null: nothing. */
  takeLeftOut(): LeftOutChanges | null
  /** A pair that is in memory. */
  pairOf(address: string): PairRecord | undefined
  stats(): ResolverStats
  /** What the block in hand cannot do without and nobody answers, with the last error; null while all is well. */
  waitsFor(): NodeFault | null
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
    prefetch: (block) => reader.prefetch(blocks.unknownOf(block)),
    resolve: (block, resolveOptions) => blocks.resolve(block, resolveOptions),
    revert: (ref, created) => blocks.revert(ref, created),
    persisted: (number) => blocks.persisted(number),
    lateFacts: () => blocks.facts.drainLate(),
    takeLeftOut: () => blocks.takeLeftOut(),
    pairOf: (address) => blocks.pairOf(address),
    stats: () => blocks.stats(),
    waitsFor: () => blocks.waitsFor,
    close() {
      reader.close()
      blocks.close()
    },
  }
}
