// Tests that every implementation of a chain's log must pass.
import { expect, test } from 'vitest'
import type { LogReader, LogWriter } from '../../packages/server/src/log/log.ts'
import type { BlockWrite } from '../../packages/server/src/store/blockWrite.ts'
import { createWriteSequence, startS } from './storeWrites.ts'

export type OpenedLog = {
  chainId: number
  writer: LogWriter<BlockWrite>
  /** Opens another reader, as another process does. */
  openReader(): LogReader
  /** Stores a snapshot, so that a start needs only later entries. */
  saveSnapshot(seq: number): Promise<void>
}

const dayS = 86_400

async function seqsOf(log: LogReader, fromSeq: number): Promise<number[]> {
  const seqs: number[] = []
  for await (const { seq } of log.read(fromSeq)) seqs.push(seq)
  return seqs
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

export function describeLog(open: () => Promise<OpenedLog>): void {
  test('default: appended entries get sequence numbers, and reading from one returns the later entries', async () => {
    const { writer, openReader, chainId } = await open()
    const log = openReader()
    const tape = createWriteSequence(chainId)
    expect(await log.lastSeq()).toBe(0)
    expect(await seqsOf(log, 1)).toEqual([])
    expect([writer.append(tape.commit()), writer.append(tape.commit())]).toEqual([1, 2])
    expect(writer.append(tape.revert())).toBe(3)
    await writer.flush()
    expect(await log.lastSeq()).toBe(3)
    const read: string[] = []
    for await (const { seq, type, bytes } of log.read(1))
      read.push(`${seq} ${type} ${textOf(bytes)}`)
    expect(read).toEqual(['1 commit commit hash0', '2 commit commit hash1', '3 revert revert'])
    expect(await seqsOf(openReader(), 3)).toEqual([3])
  })

  test('error: an entry that expects another end of the log is refused and leaves nothing', async () => {
    const { writer, openReader, chainId } = await open()
    const tape = createWriteSequence(chainId)
    writer.append(tape.commit())
    const next = tape.commit()
    for (const expectedSeq of [0, 2])
      expect(() => writer.append({ ...next, expectedSeq })).toThrow(
        expect.objectContaining({ code: 'LOG_MOVED' }),
      )
    expect(writer.append(next)).toBe(2)
    await writer.flush()
    expect(await seqsOf(openReader(), 1)).toEqual([1, 2])
  })

  test('behavior: a follower receives all existing and new entries, each once and in order', async () => {
    const { writer, openReader, chainId } = await open()
    const tape = createWriteSequence(chainId)
    const stopping = new AbortController()
    const told: number[][] = [[], []]
    for (let left = 3; left > 0; left -= 1) writer.append(tape.commit())
    await writer.flush()
    const following = [1, 3].map(async (fromSeq, reader) => {
      for await (const { seq } of openReader().follow(fromSeq, stopping.signal)) {
        told[reader]!.push(seq)
        if (told.every((seqs) => seqs.at(-1) === 9)) stopping.abort()
      }
    })
    for (let left = 6; left > 0; left -= 1) {
      writer.append(tape.commit())
      await writer.flush()
    }
    await Promise.all(following)
    expect(told).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      [3, 4, 5, 6, 7, 8, 9],
    ])
  })
  describeTrimming(open)
}

function describeTrimming(open: () => Promise<OpenedLog>): void {
  test('behavior: trimming keeps entries that a snapshot or the slowest consumer needs, and readers of trimmed entries get an error', async () => {
    const { writer, openReader, saveSnapshot, chainId } = await open()
    const log = openReader()
    const tape = createWriteSequence(chainId)
    const firstS = Math.ceil(startS / dayS) * dayS
    const beforeS = firstS + 3 * dayS
    // Two blocks a day.
    for (let day = 0; day < 4; day += 1)
      for (const timeS of [0, 9].map((s) => firstS + day * dayS + s))
        writer.append(tape.commit({ timeS, nowS: timeS }))
    await writer.flush()
    const left = async () => {
      await writer.trim(beforeS)
      for (let fromSeq = 1; ; fromSeq += 1) {
        try {
          return await seqsOf(log, fromSeq)
        } catch (error) {
          expect(error).toMatchObject({ code: 'LOG_GAP' })
        }
      }
    }
    await log.acknowledge('gateway', 8)
    expect(await left()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    await log.acknowledge('slow', 2)
    await saveSnapshot(5)
    expect(await left()).toEqual([3, 4, 5, 6, 7, 8])
    // Acknowledging an older entry does not move the consumer back.
    await log.acknowledge('slow', 1)
    expect(await log.acknowledged()).toEqual([
      { consumer: 'gateway', seq: 8 },
      { consumer: 'slow', seq: 2 },
    ])
    await log.acknowledge('slow', 8)
    expect(await left()).toEqual([5, 6, 7, 8])
    await saveSnapshot(8)
    // Days are trimmed as a whole, and the last day is not over.
    expect(await left()).toEqual([7, 8])
    await expect(seqsOf(log, 6)).rejects.toMatchObject({ code: 'LOG_GAP' })
    expect(writer.append(tape.commit())).toBe(9)
  })
}
