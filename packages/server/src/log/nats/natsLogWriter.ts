import { randomUUID } from 'node:crypto'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { LogBehindStoreError, LogWriterReplacedError } from '../errors.ts'
import type { LogAppend, LogWriter } from '../log.ts'
import { NatsOutbox } from './natsOutbox.ts'
import { headersOf } from './natsPublisher.ts'
import { natsFault } from './natsServer.ts'
import type { NatsStream, StreamMessage } from './natsStream.ts'
import { encodeStep, splitPayload } from './stepMessages.ts'

type StepToAppend = LogAppend & { carried?: Uint8Array | undefined }

type NatsLogWriterOptions<step extends StepToAppend> = {
  stream: NatsStream
  chain: string
  /** Stored sequence: an empty stream continues after it. */
  storedSeq: number
  logger: Logger
  /** The servers have it: no crash removes it. */
  onAcknowledged?: ((step: step) => void) | undefined
  /** Nothing more will be appended: another writer took over. */
  onFatal?: ((error: AppError) => void) | undefined
  /** Entries up to this sequence are no longer needed. */
  spentSeq(): Promise<number>
}

export type NatsLogWriter<step extends StepToAppend> = LogWriter<step> & {
  /** Sequence of the newest entry when this writer took over. */
  firstSeq: number
  /** Appended and not yet acknowledged. */
  pending: NatsOutbox['pending']
  close(): void
}

// Below the servers' limit, with room for headers; servers replicate smaller pieces faster.
const partBytesMax = 524_288
const headerBytesMax = 4_096
const dayOf = (timeS: number) => Math.floor(timeS / 86_400)

/**
 * Writes a chain's log to its stream. Its first message rejects every earlier writer: each message
 * names the one it follows.
 */
export async function openNatsLogWriter<step extends StepToAppend>(
  options: NatsLogWriterOptions<step>,
): Promise<NatsLogWriter<step>> {
  const { stream, chain, logger, onFatal = () => undefined } = options
  const bytesMax = Math.min(partBytesMax, stream.server.payloadBytesMax - headerBytesMax)
  const session = randomUUID()
  await stream.ensure()
  const fence = await takeOver(options, session)
  const outbox = new NatsOutbox({ stream, chain, logger, onFatal })
  const firstSeq = fence.place.lastSeq
  let lastSeq = firstSeq
  let lastAt = fence.at

  function messagesOf(step: step, stepSeq: number): StreamMessage[] {
    const { entries, carried = new Uint8Array() } = step
    const parts = splitPayload(encodeStep({ entries, carried }), bytesMax)
    const { timeS } = entries.at(-1)!.ref
    return parts.map((bytes, part) => {
      lastAt += 1
      // The step is complete with its last part.
      const wholeSeq = part === parts.length - 1 ? stepSeq : step.expectedSeq
      const place = { lastSeq: wholeSeq, part, parts: parts.length, timeS }
      return { at: lastAt, id: `${session} ${lastAt}`, place, bytes }
    })
  }

  return {
    firstSeq,
    append(step) {
      if (outbox.fatal !== null) throw outbox.fatal
      const { expectedSeq, entries } = step
      if (expectedSeq !== lastSeq) throw new LogWriterReplacedError({ chain, expectedSeq, lastSeq })
      lastSeq += entries.length
      const stepSeq = lastSeq
      outbox.push({
        bytes: bytesOf(step),
        encode: () => messagesOf(step, stepSeq),
        onStored: () => options.onAcknowledged?.(step),
      })
      return stepSeq
    },
    flush: () => outbox.flush(),
    trim: async (beforeS) => trimStream(stream, await options.spentSeq(), beforeS),
    pending: () => outbox.pending(),
    close: () => outbox.stop(),
  }
}

function bytesOf({ entries, carried }: StepToAppend): number {
  return entries.reduce(
    (sum, { bytes, undo }) => sum + bytes.length + (undo?.length ?? 0),
    carried?.length ?? 0,
  )
}

/** Appends a message, so that writers that do not know it can no longer append. */
async function takeOver(
  { stream, chain, storedSeq }: Omit<NatsLogWriterOptions<never>, 'onAcknowledged'>,
  session: string,
): Promise<StreamMessage> {
  for (;;) {
    const last = await stream.last()
    const lastSeq = last?.place.lastSeq ?? storedSeq
    if (lastSeq < storedSeq) throw new LogBehindStoreError({ chain, lastSeq, storedSeq })
    const at = (last?.at ?? 0) + 1
    const place = { lastSeq, part: 0, parts: 0, timeS: last?.place.timeS ?? 0 }
    const message = { at, id: `${session} ${at}`, place, bytes: new Uint8Array() }
    try {
      const headers = headersOf(stream, message)
      await stream.server.client.publish(stream.subject, message.bytes, { headers })
      return message
    } catch (error) {
      const found = await stream.messageAt(at)
      if (found?.id === message.id) return message
      if (found === null) throw natsFault(error, stream.server)
      // Another writer was faster: its messages come first.
    }
  }
}

/** Drops whole days before a time if all their entries are no longer needed. */
export async function trimStream(
  stream: NatsStream,
  spentSeq: number,
  beforeS: number,
): Promise<void> {
  const last = await stream.last()
  if (last === null) return
  const needed = await stream.findFirst(({ place }) => place.lastSeq > spentSeq)
  const neededDay =
    needed.message === null ? Number.POSITIVE_INFINITY : dayOf(needed.message.place.timeS)
  const day = Math.min(dayOf(beforeS), neededDay)
  const ofDay = await stream.findFirst(({ place }) => dayOf(place.timeS) >= day)
  // The end of the log is read from its last message.
  const lastAt = last.at - last.place.part
  await stream.dropBefore(Math.min(needed.firstAt, ofDay.firstAt, lastAt))
}
