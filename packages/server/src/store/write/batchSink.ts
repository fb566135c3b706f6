import type { AppError } from '../../lib/errors.ts'
import type { BlockWrite, Cursor, SequencedWrite } from '../blockWrite.ts'
import { describeConnection, type StoreConnection } from '../connection.ts'
import { databaseFault } from '../errors.ts'
import { dayOf, type StoredHistory } from '../retention.ts'
import { commitBatch, revertBlock } from './commitBatch.ts'
import { dropDays, ensureDays } from './partitions.ts'
import { createRetentionJob, type RetentionJobOptions } from './retentionJob.ts'
import { encodeBatch } from './rows/batchRows.ts'
import { createHolderThresholds } from './rows/holderThresholds.ts'
import {
  changesIgnoredContracts,
  type IgnoredContractGaps,
  loadIgnoredContractGaps,
  noIgnoredContractGaps,
} from './rows/ignoredContractRows.ts'
import {
  changesUnverifiedBlocks,
  loadUnverifiedBlockStats,
  type UnverifiedBlockStats,
} from './rows/unverifiedRows.ts'
import {
  closeClient,
  loadWriterCursor,
  openWriterSession,
  type WriterSession,
} from './writerSession.ts'

/** The database side of a writer: one session at a time, reopened after each failure. */
export type BatchSink = {
  /** Opens a session unless there is one. Returns the stored cursor if it opened one, else null. */
  connect(): Promise<Cursor | null>
  /** True if the session ended and no other was opened. */
  isLost(): boolean
  /** Reports a session that ends while idle, which no failed statement shows. */
  onLost(listener: () => void): void
  store(batch: readonly SequencedWrite[]): Promise<void>
  /** Maintenance that may fail without harm: it is repeated. */
  maintain(last: BlockWrite): Promise<void>
  /**
   * Drops days of the log before this time that are no longer needed. Does nothing while the writer
   * has no session with the database.
   */
  trim(beforeS: number): Promise<void>
  /** As last stored; unknown before the first session. */
  history(): StoredHistory
  /** Why expired days are kept; null if they are dropped. */
  retentionHeld(): string | null
  doubtful(): UnverifiedBlockStats
  leftOut(): IgnoredContractGaps
  disconnect(): void
  requestHolderBar(tokenId: number): void
  faultOf(error: unknown): AppError
}

// An audit in another process may have marked blocks.
const doubtsEveryS = 5

export function createBatchSink(
  options: RetentionJobOptions & { connection: StoreConnection },
): BatchSink {
  const { connection, chainId, chain, logger, retention } = options
  const bars = createHolderThresholds(chainId)
  const inTurn = createTurns()
  let session: WriterSession | null = null
  let isLost = false
  let tellLost: () => void = () => undefined
  const retain = createRetentionJob(options)
  let doubtful: UnverifiedBlockStats = { count: 0, newestNumber: null, untrueCount: 0 }
  let doubtsAtS = 0
  let leftOut = noIgnoredContractGaps
  let history: StoredHistory = { firstNumber: null, swapsFromS: null }

  function disconnect(): void {
    if (session !== null) closeClient(session.client)
    session = null
    isLost = true
  }

  return {
    async connect() {
      if (session !== null && !isLost) return null
      disconnect()
      let opened: WriterSession | null = null
      const onLost = () => {
        // The caller that opens or closes it already knows.
        if (opened === null || session !== opened) return
        isLost = true
        tellLost()
      }
      opened = await openWriterSession(connection, { chainId, chain, onLost })
      session = opened
      isLost = false
      history = session.history
      doubtful = await loadUnverifiedBlockStats(session.client, chainId)
      leftOut = await loadIgnoredContractGaps(session.client, chainId)
      return session.cursor
    },
    isLost: () => isLost,
    onLost(listener) {
      tellLost = listener
    },
    store: inTurn(async (batch) => {
      const { client, knownDays } = session!
      const rows = await encodeBatch(batch, retention)
      await ensureDays(client, chainId, knownDays, rows.days)
      const context = { chain, noteUpdate: bars.noteUpdate }
      const write = batch[0]!.reverted === null ? commitBatch : revertBatch
      history = await write(client, batch, rows, context)
      if (changesUnverifiedBlocks(batch)) doubtful = await loadUnverifiedBlockStats(client, chainId)
      if (changesIgnoredContracts(batch)) leftOut = await loadIgnoredContractGaps(client, chainId)
    }),
    maintain: inTurn(async (last) => {
      const { client } = session!
      try {
        if (bars.hasWork()) await bars.adjust(client)
        if (await retain.run(session!, last))
          history = (await loadWriterCursor(client, chainId)).history
        if (Math.abs(last.nowS - doubtsAtS) >= doubtsEveryS) {
          doubtsAtS = last.nowS
          doubtful = await loadUnverifiedBlockStats(client, chainId)
        }
      } catch (error) {
        logger.warn({ msg: 'Put off store maintenance', chain, err: error })
        disconnect()
      }
    }),
    trim: inTurn(async (beforeS) => {
      if (session === null) return
      const { client, knownDays } = session
      await dropDays(client, chainId, knownDays, {
        tables: ['log'],
        firstDayOf: () => dayOf(beforeS),
        lockWaitMs: options.dropLockWaitMs,
      })
    }),
    history: () => history,
    retentionHeld: retain.held,
    doubtful: () => doubtful,
    leftOut: () => leftOut,
    disconnect,
    requestHolderBar: bars.request,
    faultOf: (error) => databaseFault(error, describeConnection(connection)),
  }
}

/** Serializes functions: two in one session would share a transaction. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <input>(work: (input: input) => Promise<void>) =>
    (input: input): Promise<void> => {
      const turn = last.then(() => work(input))
      last = turn.catch(() => undefined)
      return turn
    }
}

const revertBatch: typeof commitBatch = (client, batch, rows, context) =>
  revertBlock(client, batch[0]!, rows, context)
