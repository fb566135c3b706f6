import type { BalanceReader } from '../ledger/balanceReader.ts'
import { createLedger } from '../ledger/ledger.ts'
import { decodeUndo, encodeUndo } from '../ledger/undo.ts'
import type { Logger } from '../lib/logger.ts'
import { encodeEntry } from '../log/entryCodec.ts'
import type { BlockRef } from '../model/block.ts'
import type { ChainEvent } from '../model/chainEvent.ts'
import type { LateFacts, LogEntry } from '../model/logEntry.ts'
import type { TokenRecord } from '../model/token.ts'
import type { CreatedRecords } from '../resolve/blockResolver.ts'
import type { RecordReader } from '../resolve/recordReader.ts'
import { createResolver } from '../resolve/resolver.ts'
import { createBlockUndos } from './blockUndos.ts'
import type { ChainSetup } from './chainSetup.ts'
import type { Intake, IntakeProgress } from './intake.ts'

/** One log entry on its way from a chain's thread to its engine. */
export type HandedEntry = {
  type: LogEntry['type']
  ref: BlockRef
  bytes: Uint8Array
  /** What the ledger changed, as encodeUndo writes it; of a revert, what the block had changed. Null: nothing. */
  changes: Uint8Array | null
  /** The block was final when it was read: it will never be taken back. */
  isFinal: boolean
}

/** A block of an earlier run. */
export type KnownBlock = {
  ref: BlockRef
  /** Null: it is final. */
  undo: Uint8Array | null
  /** Records the block made. */
  created: CreatedRecords
}

/** Where a chain's thread goes on. Plain data. */
export type PipelineStart = {
  setup: ChainSetup
  /** Newest canonical blocks, oldest first, with what takes them back. */
  known: readonly KnownBlock[]
  finalizedNumber: number
  /** Whose holders are not counted completely yet. */
  incompleteTokens: readonly TokenRecord[]
  nextTokenId: number
  nextPairId: number
}

export type PipelineOptions<block> = {
  start: PipelineStart
  intake: Intake<block>
  store: RecordReader & BalanceReader
  /** Resolves when there is room for the next one. */
  handOver(entry: HandedEntry): Promise<void> | void
  logger: Logger
}

export type PipelineProgress = IntakeProgress & { dropped: Record<string, number> }

export type Pipeline = {
  /** Ends when the intake does. */
  run(): Promise<void>
  progress(): PipelineProgress
  /** The store has all blocks up to this number. */
  persisted(number: number): void
}

/** chain, decode, resolve and ledger in a row: a chain's blocks become log entries. */
export function createPipeline<block>(options: PipelineOptions<block>): Pipeline {
  const { start, intake, store, handOver, logger } = options
  const { profile, limits } = start.setup
  const resolver = createResolver({
    profile,
    reader: intake.reader,
    records: store,
    nextTokenId: start.nextTokenId,
    nextPairId: start.nextPairId,
    incompleteTokens: start.incompleteTokens,
    limits: { budgetMs: limits.resolveMsMax },
    logger,
  })
  const ledger = createLedger({ profile, balances: store, logger })
  const undos = createBlockUndos(start.known, profile.reorgDepthMax)
  const createdBefore = new Map(start.known.map(({ ref, created }) => [ref.hash, created]))

  let headTimeS = start.known.at(-1)?.ref.timeS ?? 0

  async function onEvent(event: ChainEvent<block>): Promise<void> {
    if (event.type === 'commit') await commit(event.block, event.receivedMs)
    else if (event.type === 'revert') await revert(event.ref)
    else await finalize(event.ref)
  }

  async function commit(block: block, receivedMs: number): Promise<void> {
    const ref = intake.refOf(block)
    headTimeS = ref.timeS
    const { isLive, finalizedNumber } = intake.progress()
    const resolved = await resolver.resolve(intake.decode(block), { receivedMs, isLive })
    const finished = await ledger.apply(resolved)
    const changes = encodeUndo(finished.undo)
    const isFinal = ref.number <= finalizedNumber
    if (!isFinal) undos.add(ref, changes)
    const bytes = encodeEntry({ type: 'commit', block: finished.block })
    await handOver({ type: 'commit', ref, bytes, changes, isFinal })
    for (const facts of resolver.lateFacts()) await late(facts, ref)
  }

  async function late(facts: LateFacts, head: BlockRef): Promise<void> {
    const ref = { ...facts.ref, parentHash: '', timeS: head.timeS }
    const bytes = encodeEntry({ type: 'late', facts })
    await handOver({ type: 'late', ref, bytes, changes: null, isFinal: false })
  }

  async function revert(ref: BlockRef): Promise<void> {
    const changes = undos.take(ref)
    ledger.revert(ref, decodeUndo(changes))
    resolver.revert(ref, createdBefore.get(ref.hash))
    createdBefore.delete(ref.hash)
    const bytes = encodeEntry({ type: 'revert', ref })
    await handOver({ type: 'revert', ref, bytes, changes, isFinal: false })
  }

  async function finalize(ref: { number: number; hash: string }): Promise<void> {
    undos.forgetUpTo(ref.number)
    const bytes = encodeEntry({ type: 'finalize', ref })
    const full = { ...ref, parentHash: '', timeS: headTimeS }
    await handOver({ type: 'finalize', ref: full, bytes, changes: null, isFinal: true })
  }

  return {
    async run() {
      try {
        for await (const event of intake.events()) await onEvent(event)
      } finally {
        resolver.close()
      }
    },
    progress: () => ({ ...intake.progress(), dropped: intake.dropped() }),
    persisted(number) {
      resolver.persisted(number)
      ledger.persisted(number)
    },
  }
}
