import { LogGapError } from '../errors.ts'
import { assertConsecutive, type LoggedEntry, type LogReader } from '../log.ts'
import { readMessages } from './natsMessages.ts'
import type { NatsStream } from './natsStream.ts'
import { StepJoiner, type StreamedStep } from './stepMessages.ts'

/** A step with the sequence of its first entry. */
export type SequencedStep = StreamedStep & { seq: number }

/**
 * Consumers' positions are stored beside the snapshots: together they determine what the log must
 * keep.
 */
export type ConsumerPositions = Pick<LogReader, 'acknowledge' | 'acknowledged'>

export type NatsLogReader = LogReader & {
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
