import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import { ReorgTooDeepError } from '../../engine/errors.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
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
import { decodeCarried, encodeCarried } from './carriedWrite.ts'
import { loadEngine } from './loadEngine.ts'

type LoggedWriterOptions = Omit<BlockWriterOptions, 'connection' | 'logger'> & {
  store: Store
  server: NatsServer
  profile: ChainProfile
  logger: Logger
}

type CarriedWrite = BlockWrite & { carried: Uint8Array }

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
  const stored = await store.openWriter(options)
  let log: NatsLogWriter<CarriedWrite>
  try {
    const { seq } = stored.status().lastPersisted
    const open = () =>
      openNatsLogWriter<CarriedWrite>({
        ...{ stream, chain, logger, storedSeq: seq },
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
      const time = delay(closeMsMax, undefined, { ref: false })
      await Promise.race([log.flush(), time]).catch(() => undefined)
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
  { store, chainId, chain, profile, logger }: LoggedWriterOptions,
  stream: NatsStream,
  stored: BlockWriter,
): Promise<void> {
  const load = async () => (await loadEngine(store, chainId, profile, logger)).engine
  const positions = store.openLog({ chainId, chain })
  const fromSeq = stored.status().lastPersisted.seq + 1
  let engine: Engine | null = await load()
  let lastSeq = fromSeq - 1
  for await (const step of openNatsLogReader(stream, chain, positions).readSteps(fromSeq)) {
    engine ??= await load()
    const events = applyAll(engine, step.entries)
    stored.append(decodeCarried(step, { chainId, expectedSeq: lastSeq, events: events ?? [] }))
    lastSeq += step.entries.length
    if (events !== null && !stored.isFull()) continue
    await stored.flush()
    // It reverts more than an engine holds, and what comes next is of the market as it is stored then.
    if (events === null) engine = null
  }
  await stored.flush()
  logger.info({ msg: 'Stored what the log had beyond the store', chain, fromSeq, lastSeq })
}

/** What the engine says to the entries; null: it cannot revert so much, and nothing that it says of a revert is stored. */
function applyAll(engine: Engine, entries: readonly LogRow[]): MarketEvent[] | null {
  try {
    return entries.flatMap(({ bytes }) => [...engine.apply(decodeEntry(bytes))])
  } catch (error) {
    if (error instanceof ReorgTooDeepError) return null
    throw error
  }
}
