import type { ConsumerMessages } from '@nats-io/jetstream'
import { withinMs } from '../../lib/withinMs.ts'
import { LogGapError } from '../errors.ts'
import { assertConsecutive, type LoggedEntry, type LogReader } from '../log.ts'
import { natsFault } from './natsServer.ts'
import type { NatsStream, StreamMessage } from './natsStream.ts'
import { messageHeaderOf, StepJoiner, type StreamedStep } from './stepMessages.ts'

/** A step with the sequence of its first entry. */
type SequencedStep = StreamedStep & { seq: number }

/**
 * Consumers' positions are stored beside the snapshots: together they determine what the log must
 * keep.
 */
type ConsumerPositions = Pick<LogReader, 'acknowledge' | 'acknowledged'>

type NatsLogReader = LogReader & {
  /** Like `read`, with everything that was appended with the entries. */
  readSteps(fromSeq: number): AsyncGenerator<SequencedStep, void, undefined>
}

type StepRange = { isToEnd: boolean; signal?: AbortSignal | undefined }

/** A chain's log in a JetStream stream. */
export function openNatsLogReader(
  stream: NatsStream,
  chain: string,
  positions: ConsumerPositions,
): NatsLogReader {
  const lastSeq = async () => (await stream.last())?.place.lastSeq ?? 0

  async function* stepsFrom(
    fromSeq: number,
    { isToEnd, signal }: StepRange,
  ): AsyncGenerator<SequencedStep, void, undefined> {
    const endSeq = isToEnd ? await lastSeq() : Number.POSITIVE_INFINITY
    if (fromSeq > endSeq) return
    const joiner = new StepJoiner()
    let readSeq = fromSeq - 1
    const isMore = async () => (await lastSeq()) > readSeq
    const { firstAt: from } = await stream.findFirst(({ place }) => place.lastSeq >= fromSeq)
    for await (const { place, bytes } of readMessages(stream, { from, isMore, signal })) {
      const step = joiner.put(place, bytes)
      // Every message says which entries were complete before it.
      const seq = place.lastSeq - (step?.entries.length ?? 0) + 1
      if (seq > readSeq + 1) throw new LogGapError({ chain, readSeq, foundSeq: seq })
      // A newly elected leader may start before the requested place.
      if (step === null || place.lastSeq <= readSeq) continue
      readSeq = place.lastSeq
      yield { ...step, seq }
      if (readSeq >= endSeq) return
    }
  }

  async function* entriesFrom(
    fromSeq: number,
    range: StepRange,
  ): AsyncGenerator<LoggedEntry, void, undefined> {
    for await (const { seq, entries } of stepsFrom(fromSeq, range))
      for (const [index, { type, bytes }] of entries.entries())
        if (seq + index >= fromSeq) yield { seq: seq + index, type, bytes }
  }

  return {
    ...positions,
    lastSeq,
    readSteps: (fromSeq) => stepsFrom(fromSeq, { isToEnd: true }),
    read: (fromSeq) =>
      assertConsecutive(entriesFrom(fromSeq, { isToEnd: true }), chain, fromSeq - 1),
    follow: (fromSeq, signal) =>
      assertConsecutive(entriesFrom(fromSeq, { isToEnd: false, signal }), chain, fromSeq - 1),
  }
}

type MessagesRange = {
  /** Number of the first message. */
  from: number
  /** Are there more messages? Asked after a silence. */
  isMore(): Promise<boolean>
  signal?: AbortSignal | undefined
}

// Larger pulls stall: servers send the requested bytes in one go.
const pullBytesMax = 8_000_000
// Servers send heartbeats to a waiting reader.
const heartbeatMs = 2_000
// After this silence the reader asks whether there is more: the connection may be dead.
const silentMsMax = 3_000

/**
 * Yields the messages of a stream in order, continuing with new ones. A lost server is a retryable
 * error.
 */
async function* readMessages(
  stream: NatsStream,
  { from, isMore, signal }: MessagesRange,
): AsyncGenerator<StreamMessage, void, undefined> {
  const messages = await consume(stream, from)
  const end = () => messages.stop()
  signal?.addEventListener('abort', end, { once: true })
  try {
    const iterator = messages[Symbol.asyncIterator]()
    let next = iterator.next()
    while (signal?.aborted !== true) {
      const came = await withinMs(next, silentMsMax, 'silent' as const)
      if (came === 'silent') {
        if (await isMore()) throw natsFault(`nothing came for ${silentMsMax} ms`, stream.server)
        continue
      }
      if (came.done === true) return
      const { seq: at, headers, data: bytes } = came.value
      yield { at, id: '', place: messageHeaderOf(headers, stream.name), bytes }
      next = iterator.next()
    }
  } finally {
    signal?.removeEventListener('abort', end)
    void messages.close().catch(() => undefined)
  }
}

async function consume({ server, name }: NatsStream, from: number): Promise<ConsumerMessages> {
  const { DeliverPolicy } = await import('@nats-io/jetstream')
  try {
    const consumer = await server.client.consumers.get(name, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
    })
    return await consumer.consume({ max_bytes: pullBytesMax, idle_heartbeat: heartbeatMs })
  } catch (error) {
    throw natsFault(error, server)
  }
}
