import { setTimeout as delay } from 'node:timers/promises'
import { decodeChanges, encodeChanges } from '../../ledger/undo.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { withinMs } from '../../lib/withinMs.ts'
import { LogGapError } from '../../log/errors.ts'
import type { LogRow } from '../../log/log.ts'
import { openNatsLogReader } from '../../log/nats/natsLogReader.ts'
import { type NatsLogWriter, openNatsLogWriter } from '../../log/nats/natsLogWriter.ts'
import type { NatsServer } from '../../log/nats/natsServer.ts'
import { type NatsStream, openNatsStream } from '../../log/nats/natsStream.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { BlockWrite } from '../../store/blockWrite.ts'
import type { BlockWriter, BlockWriterOptions, WriterStatus } from '../../store/blockWriter.ts'
import type { Store } from '../../store/openStore.ts'
import { createWarmMarket, type WarmMarket, type WarmMarkets } from './warmMarket.ts'

type LoggedWriterOptions = Omit<BlockWriterOptions, 'connection' | 'logger'> & {
  store: Store
  server: NatsServer
  profile: ChainProfile
  /** Markets that are in memory already. */
  warmMarkets: WarmMarkets
  logger: Logger
}

type CarriedWrite = BlockWrite & { carried: Uint8Array }

/** The parts of a write that are neither in its entries nor follow from them. */
type Carried = Pick<
  BlockWrite,
  'headAfter' | 'reverted' | 'nowS' | 'tipTimeS' | 'doubt' | 'settledDoubts' | 'leftOut'
> & {
  /** As `encodeChanges` writes it; null: the undo of the entry has it. */
  changes: string | null
}

// Looked for days that may go: as often as in the database.
const trimEveryMs = 600_000
const dayS = 86_400
// What servers without a leader have not acknowledged by then is read from the chain again.
const closeMsMax = 5_000
// Servers elect a leader within seconds: to wait for it is quicker than another start.
const leaderMsMax = 30_000
const leaderEveryMs = 250

/**
 * A writer whose log is a stream of NATS: an entry goes there first, and what was acknowledged to the store. What an earlier writer had
 * acknowledged and not stored is stored before anything else.
 */
export async function openLoggedWriter(options: LoggedWriterOptions): Promise<BlockWriter> {
  const { store, server, chainId, chain, logger, retention, onFatal } = options
  const stream = openNatsStream(server, chainId)
  let isOpen = false
  const stored = await store.openWriter({
    ...options,
    // The caller has nobody to notify before it has its writer.
    onPersisted: (cursor) => isOpen && options.onPersisted?.(cursor),
  })
  let log: NatsLogWriter<CarriedWrite>
  try {
    const { seq } = stored.status().lastPersisted
    const open = () =>
      openNatsLogWriter<CarriedWrite>({
        stream,
        chain,
        logger,
        storedSeq: seq,
        onAcknowledged: (write) => storeLogged(stored, write, onFatal),
        onFatal,
        spentSeq: () => store.loadSpentSeq(chainId),
      })
    log = await untilLeader(open, logger)
    if (log.firstSeq > seq) await fillStore(options, stream, stored)
  } catch (error) {
    await stored.close()
    throw error
  }
  isOpen = true
  const logDays = retention?.log ?? 1
  const trimming = setInterval(() => {
    void log.trim(Date.now() / 1_000 - logDays * dayS).catch((error: unknown) => {
      logger.warn({ msg: 'Put off trimming the log', chain, err: error })
    })
  }, trimEveryMs)
  trimming.unref()
  return {
    ...stored,
    append: (write) => log.append({ ...write, carried: encodeCarried(write) }),
    async flush() {
      await log.flush()
      await stored.flush()
    },
    trim: log.trim,
    isFull: () => withPending(stored.status(), log, options).isFull,
    hasFailed: () => stored.hasFailed() || isFatal(log.pending().lastError),
    status: () => withPending(stored.status(), log, options),
    async close() {
      clearInterval(trimming)
      await withinMs(log.flush(), closeMsMax, undefined).catch(() => undefined)
      log.close()
      return (await stored.close()) + log.pending().steps
    },
  }
}

/** Servers that have no leader are asked again for a while. */
async function untilLeader<answer>(ask: () => Promise<answer>, logger: Logger): Promise<answer> {
  const deadlineMs = performance.now() + leaderMsMax
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const isRetryable = error instanceof AppError && error.retryable
      if (!isRetryable || performance.now() > deadlineMs) throw error
      logger.warn({ msg: 'Waiting for NATS', err: error })
      await delay(leaderEveryMs)
    }
  }
}

const isFatal = (error: AppError | null) => error !== null && !error.retryable

function storeLogged(
  stored: BlockWriter,
  { carried: _, ...write }: CarriedWrite,
  onFatal: BlockWriterOptions['onFatal'],
): void {
  if (stored.hasFailed()) return
  try {
    stored.append(write)
  } catch (error) {
    onFatal?.(error as AppError)
  }
}

/** What waits for the log waits for the store, too. */
function withPending(
  status: WriterStatus,
  log: Pick<NatsLogWriter<CarriedWrite>, 'pending'>,
  { limits }: LoggedWriterOptions,
): WriterStatus {
  const { steps, bytes, lastError } = log.pending()
  const queuedBlocks = status.queuedBlocks + steps
  const queuedBytes = status.queuedBytes + bytes
  const isFull =
    status.isFull ||
    queuedBlocks >= (limits?.queueBlocksMax ?? Number.POSITIVE_INFINITY) ||
    queuedBytes >= (limits?.queueBytesMax ?? Number.POSITIVE_INFINITY)
  return { ...status, queuedBlocks, queuedBytes, isFull, lastError: lastError ?? status.lastError }
}

/** Stores what the log has beyond the store. */
async function fillStore(
  options: LoggedWriterOptions,
  stream: NatsStream,
  stored: BlockWriter,
): Promise<void> {
  const { store, chainId, chain, warmMarkets, logger, onFatal } = options
  const market = warmMarkets.get(chainId) ?? createWarmMarket({ ...options, onDamaged: onFatal })
  const positions = store.openLog({ chainId, chain })
  const fromSeq = stored.status().lastPersisted.seq + 1
  let lastSeq = fromSeq - 1
  let isCaughtUp = false
  for await (const step of openNatsLogReader(stream, chain, positions).readSteps(fromSeq)) {
    if (!isCaughtUp) await catchUp(market, chain, lastSeq)
    const events = market.apply(step.entries)
    stored.append(decodeCarried(step, { chainId, expectedSeq: lastSeq, events: events ?? [] }))
    lastSeq += step.entries.length
    // Where it reverts more than memory holds, what comes next is of the market as it is stored then.
    isCaughtUp = events !== null
    if (!isCaughtUp || stored.isFull()) await stored.flush()
  }
  await stored.flush()
  logger.info({ msg: 'Stored what the log had beyond the store', chain, fromSeq, lastSeq })
}

async function catchUp(market: WarmMarket, chain: string, storedSeq: number): Promise<void> {
  const { seq } = await market.catchUp()
  if (seq !== storedSeq) throw new LogGapError({ chain, readSeq: seq, foundSeq: storedSeq })
}

const undoOf = (entries: readonly LogRow[]) => entries.find(({ undo }) => undo !== null)?.undo

/** Goes to the log with the entries, so that the next writer can store what this process could not. */
function encodeCarried(write: BlockWrite): Uint8Array {
  const { headAfter, reverted, nowS, tipTimeS, doubt, settledDoubts, leftOut } = write
  const isInUndo = undoOf(write.entries) !== undefined
  const carried: Carried = {
    headAfter,
    reverted,
    nowS,
    tipTimeS,
    doubt,
    settledDoubts,
    leftOut,
    changes: isInUndo ? null : Buffer.from(encodeChanges(write.balances)).toString(),
  }
  return Buffer.from(JSON.stringify(carried))
}

/** Restores the write; `events` are the engine's for its entries. */
function decodeCarried(
  { entries, carried }: { entries: readonly LogRow[]; carried: Uint8Array },
  rest: { chainId: number; expectedSeq: number; events: readonly MarketEvent[] },
): BlockWrite {
  const { changes, ...facts } = JSON.parse(Buffer.from(carried).toString()) as Carried
  const bytes = changes === null ? undoOf(entries)! : Buffer.from(changes)
  return { ...facts, ...rest, entries, balances: decodeChanges(bytes) }
}
