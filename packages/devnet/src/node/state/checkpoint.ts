import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { decodeRecord } from '../journalRecord.ts'
import { type Archive, archiveName, type RpcBlock } from '../past/archive.ts'
import type { AccountState } from './touched.ts'

/** All that a chain goes on from after one of its blocks, so that what led to it need not be done again. */
export type Checkpoint = {
  format: number
  /** Of the chain, as its journal begins. */
  seed: string
  genesisS: number
  deployment: unknown
  /** The block. */
  head: RpcBlock
  accounts: readonly AccountState[]
  /** Transactions of which it is known what they write to. */
  kinds: readonly string[]
  nextBaseFee: string
  /** Of all snapshots taken up to here; none of them can be gone back to. */
  lastSnapshotId: number
  /** Requests of clients that set how the node works. */
  settings: readonly { method: string; params: readonly unknown[] }[]
  /** The journal up to here has led to it. */
  journalBytes: number
  /** The archive up to here ends with the block. */
  archiveBytes: number
}

export const checkpointFormat = 1

const namePattern = /^state-(\d+)$/

/** Numbers of the blocks that there are checkpoints of in a folder, newest first. */
export function listCheckpoints(dir: string): number[] {
  return readdirSync(dir)
    .flatMap((name) => namePattern.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => b - a)
}

/** Undefined when there is none of this block, or it cannot be read: it is only a way to save time. */
export function readCheckpoint(dir: string, number: number): Checkpoint | undefined {
  try {
    const text = inflateRawSync(readFileSync(pathOf(dir, number))).toString()
    const checkpoint = JSON.parse(text) as Checkpoint
    return checkpoint.format === checkpointFormat ? checkpoint : undefined
  } catch {
    return undefined
  }
}

/** Whole or not at all. */
export function writeCheckpoint(dir: string, checkpoint: Checkpoint): void {
  const path = pathOf(dir, Number(checkpoint.head.number))
  const temporary = `${path}.part`
  const packed = deflateRawSync(JSON.stringify(checkpoint), { level: 3 })
  writeFileSync(temporary, packed, { flush: true })
  renameSync(temporary, path)
}

/** Whether it is of the chain that this journal is of, and has its blocks. */
export function isOfChain(checkpoint: Checkpoint, journalPath: string, archive: Archive): boolean {
  const { head, seed, genesisS, journalBytes, archiveBytes } = checkpoint
  const text = existsSync(journalPath) ? readFileSync(journalPath, 'latin1') : ''
  const first = decodeRecord(text.slice(0, text.indexOf('\n')))
  const lastLine = text.slice(0, journalBytes).split('\n').at(-2)
  return (
    first?.type === 'genesis' &&
    first.seed === seed &&
    first.genesisS === genesisS &&
    text.length >= journalBytes &&
    lastLine?.startsWith('h,0x') === true &&
    head.hash.startsWith(lastLine.slice(2)) &&
    archive.size() >= archiveBytes
  )
}

/** With the archive: the journal has all that they are made of. */
export function removeCheckpoints(dir: string): void {
  for (const number of listCheckpoints(dir)) removeCheckpoint(dir, number)
  rmSync(join(dir, archiveName), { force: true })
}

export function removeCheckpoint(dir: string, number: number): void {
  rmSync(pathOf(dir, number), { force: true })
}

function pathOf(dir: string, number: number): string {
  return join(dir, `state-${number}`)
}
