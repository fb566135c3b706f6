import { setTimeout as delay } from 'node:timers/promises'
import { isLogOnNats } from '../../config/schema/natsSchema.ts'
import type { Config } from '../../config/schema/schema.ts'
import { decodeChanges, encodeChanges } from '../../ledger/undo.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { withinMs } from '../../lib/withinMs.ts'
import { LogGapError } from '../../log/errors.ts'
import type { LogRow } from '../../log/log.ts'
import { openNatsLogReader } from '../../log/nats/natsLogReader.ts'
import { type NatsLogWriter, openNatsLogWriter } from '../../log/nats/natsLogWriter.ts'
import { connectNats, type NatsOptions, type NatsServer } from '../../log/nats/natsServer.ts'
import { type NatsStream, openNatsStream } from '../../log/nats/natsStream.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { BlockWrite } from '../../store/blockWrite.ts'
import type { BlockWriter, BlockWriterOptions, WriterStatus } from '../../store/blockWriter.ts'
import type { Store } from '../../store/openStore.ts'
import { configuredSetups } from './configuredChains.ts'
import { createWarmMarket, type WarmMarket, type WarmMarkets } from './warmMarket.ts'

export function natsOptionsOf({ nats }: Pick<Config, 'nats'>): NatsOptions {
  const { ca_file: caFile, cert_file: certFile, key_file: keyFile } = nats
  const isEncrypted = caFile !== undefined || nats.urls.some((url) => url.startsWith('tls:'))
  return {
    urls: nats.urls,
    user: nats.user,
    password: nats.password,
    token: nats.token,
    credentialsFile: nats.credentials_file,
    tls: isEncrypted
      ? {
          ...(caFile === undefined ? {} : { caFile }),
          ...(certFile === undefined ? {} : { certFile }),
          ...(keyFile === undefined ? {} : { keyFile }),
        }
      : undefined,
    replicas: nats.replicas === 0 ? undefined : nats.replicas,
    streamBytesMax: nats.stream_bytes_max,
    prefix: nats.prefix,
  }
}

export type ChainLogs = {
  /** The store, with chain logs in NATS or PostgreSQL as configured. */
  store: Store
  close(): Promise<void>
}

/**
 * Redirects chain logs to NATS if the config says so. `warmMarkets`: markets of a standby indexer.
 */
export async function openChainLogs(
  config: Config,
  store: Store,
  logger: Logger,
  warmMarkets: WarmMarkets,
): Promise<ChainLogs> {
  if (!isLogOnNats(config)) return { store, close: async () => undefined }
  const server = await connectNats(natsOptionsOf(config))
  return {
    store: withNatsLogs(config, store, { server, logger, warmMarkets }),
    close: server.close,
  }
}

function withNatsLogs(
  config: Config,
  store: Store,
  { server, logger, warmMarkets }: Pick<NatsWriterOptions, 'server' | 'logger' | 'warmMarkets'>,
): Store {
  const profiles = new Map(configuredSetups(config).map(({ profile }) => [profile.name, profile]))
  return {
    ...store,
    openLog: (options) =>
      openNatsLogReader(
        openNatsStream(server, options.chainId),
        options.chain,
        store.openLog(options),
      ),
    openWriter: (options) =>
      openNatsWriter({
        ...options,
        store,
        server,
        warmMarkets,
        logger,
        profile: profiles.get(options.chain)!,
      }),
  }
}

type NatsWriterOptions = Omit<BlockWriterOptions, 'connection' | 'logger'> & {
  store: Store
  server: NatsServer
  profile: ChainProfile
  /** Markets that a standby indexer already has in memory. */
  warmMarkets: WarmMarkets
  logger: Logger
}

type LoggedWrite = BlockWrite & { carried: Uint8Array }

/** Parts of a write that cannot be derived from its entries. */
type LoggedFacts = Pick<
  BlockWrite,
  'headAfter' | 'reverted' | 'nowS' | 'tipTimeS' | 'doubt' | 'settledDoubts' | 'leftOut'
> & {
  /** Output of `encodeChanges`; null: the entry's undo record contains the same bytes. */
  changes: string | null
}

// Interval for deleting expired days from the log, the same as in the database.
const trimEveryMs = 600_000
const dayS = 86_400
// On close, wait this long for NATS servers without a leader. Unacknowledged blocks are read from
// the chain again.
const closeMsMax = 5_000
// NATS servers elect a leader within seconds, which is quicker than restarting.
const leaderMsMax = 30_000
const leaderEveryMs = 250

/**
 * Opens a writer that logs to a NATS stream. Entries go to NATS first and, once acknowledged, to
 * the store. Before anything else it stores entries that an earlier writer logged but did not
 * store.
 */
export async function openNatsWriter(options: NatsWriterOptions): Promise<BlockWriter> {
  const { store, server, chainId, chain, logger, retention, onFatal } = options
  const stream = openNatsStream(server, chainId)
  let isOpen = false
  const stored = await store.openWriter({
    ...options,
    // Until the caller has its writer, it expects no notification.
    onPersisted: (cursor) => isOpen && options.onPersisted?.(cursor),
  })
  let log: NatsLogWriter<LoggedWrite>
  try {
    const { seq } = stored.status().lastPersisted
    const open = () =>
      openNatsLogWriter<LoggedWrite>({
        stream,
        chain,
        logger,
        storedSeq: seq,
        onAcknowledged: (write) => storeLogged(stored, write, onFatal),
        onFatal,
        spentSeq: () => store.loadSpentSeq(chainId),
      })
    log = await untilLeader(open, logger)
    if (log.firstSeq > seq) await storeLoggedEntries(options, stream, stored)
  } catch (error) {
    await stored.close()
    throw error
  }
  isOpen = true
  const logDays = retention?.log ?? 1
  const trimming = setInterval(() => {
    void log.trim(Date.now() / 1_000 - logDays * dayS).catch((error: unknown) => {
      logger.warn({ msg: 'Failed to trim the log; retrying later', chain, err: error })
    })
  }, trimEveryMs)
  trimming.unref()
  return {
    ...stored,
    append: (write) => log.append({ ...write, carried: encodeLoggedFacts(write) }),
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

/** Retries for a while when the NATS servers have no leader. */
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
  { carried: _, ...write }: LoggedWrite,
  onFatal: BlockWriterOptions['onFatal'],
): void {
  if (stored.hasFailed()) return
  try {
    stored.append(write)
  } catch (error) {
    onFatal?.(error as AppError)
  }
}

/** Adds writes that NATS has not acknowledged to the store's queue status. */
function withPending(
  status: WriterStatus,
  log: Pick<NatsLogWriter<LoggedWrite>, 'pending'>,
  { limits }: NatsWriterOptions,
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

/** Stores log entries newer than the last stored entry. */
async function storeLoggedEntries(
  options: NatsWriterOptions,
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
    stored.append(decodeLoggedWrite(step, { chainId, expectedSeq: lastSeq, events: events ?? [] }))
    lastSeq += step.entries.length
    // Null: the revert goes deeper than memory, so flush and reload the market before the next
    // entry.
    isCaughtUp = events !== null
    if (!isCaughtUp || stored.isFull()) await stored.flush()
  }
  await stored.flush()
  logger.info({ msg: 'Stored log entries of an earlier writer', chain, fromSeq, lastSeq })
}

async function catchUp(market: WarmMarket, chain: string, storedSeq: number): Promise<void> {
  const { seq } = await market.catchUp()
  if (seq !== storedSeq) throw new LogGapError({ chain, readSeq: seq, foundSeq: storedSeq })
}

const undoOf = (entries: readonly LogRow[]) => entries.find(({ undo }) => undo !== null)?.undo

/**
 * Encodes what the log carries with the entries, so that the next writer can store what this
 * process could not.
 */
function encodeLoggedFacts(write: BlockWrite): Uint8Array {
  const { headAfter, reverted, nowS, tipTimeS, doubt, settledDoubts, leftOut } = write
  const isInUndo = undoOf(write.entries) !== undefined
  const carried: LoggedFacts = {
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

/** Restores the write from the log; `events` are the engine's events for its entries. */
function decodeLoggedWrite(
  { entries, carried }: { entries: readonly LogRow[]; carried: Uint8Array },
  rest: { chainId: number; expectedSeq: number; events: readonly MarketEvent[] },
): BlockWrite {
  const { changes, ...facts } = JSON.parse(Buffer.from(carried).toString()) as LoggedFacts
  const bytes = changes === null ? undoOf(entries)! : Buffer.from(changes)
  return { ...facts, ...rest, entries, balances: decodeChanges(bytes) }
}
