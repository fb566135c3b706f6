import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readHead } from './node/head.ts'
import { readJournal } from './node/journal.ts'
import { type Lane, replayRecord } from './node/lane.ts'
import type { Archive } from './node/past/archive.ts'
import type { Provider } from './node/provider.ts'
import { resumeProvider } from './node/resumed/resumedProvider.ts'
import {
  type Checkpoint,
  listCheckpoints,
  readCheckpoint,
  removeCheckpoint,
} from './node/state/checkpoint.ts'
import type { SwitchedProvider } from './node/switchedProvider.ts'

/** Makes a checkpoint on from another, or from genesis; resolves with its block. Undefined: none could be made. */
export type MakeCheckpoint = (options: {
  dir: string
  base: number | undefined
  keptBlocks: number
  signal: AbortSignal
}) => Promise<number | undefined>

export type CheckpointsOptions = {
  make: MakeCheckpoint
  journalPath: string
  archive: Archive
  /** What the EVM began with; undefined is genesis. */
  base: Checkpoint | undefined
  lane: Lane
  provider: SwitchedProvider
  chainId: number
  privateKeys: readonly `0x${string}`[]
  collectGarbage: () => void
  onLog: (message: string) => void
  /** What the process holds. @default its resident memory */
  heldBytes?: (() => number) | undefined
  limits?: CheckpointLimits | undefined
}

type CheckpointLimits = {
  /** Their states can be asked for, and they can be reverted. */
  keptBlocks: number
  /** From one checkpoint to the next: a start replays about as many at the most. */
  everyBlocks: number
  /** So many are enough when the process holds more than `largeBytes`. */
  largeEveryBlocks: number
  largeBytes: number
  /** A chain that has just started is being read from its first block. */
  quietBlocks: number
  /** When one has taken so many blocks, the chain begins to wait for it. */
  lateBlocks: number
}

/**
 * Bounds the memory of the EVM and the time of a start: every now and then the state of a block is saved, and an EVM that begins
 * with it takes the place of the one that has grown.
 */
export type Checkpoints = {
  /** After every block. Resolves when nothing is being saved. */
  mined(number: number): Promise<void>
  /** Before the next block: takes longer the further saving is behind, so that memory is bounded where it gets little of a processor. */
  pace(number: number, signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

// An indexer takes a block 32 deep for final; 512 blocks hold about 100 MB.
const defaultLimits: CheckpointLimits = {
  keptBlocks: 128,
  everyBlocks: 512,
  quietBlocks: 60,
  lateBlocks: 256,
  largeEveryBlocks: 128,
  largeBytes: 640 * 2 ** 20,
}

// With so much more for each block that is late, an hour in which nothing is saved adds some 360 blocks, not 3,600.
const lateWaitMs = 50

// An EVM that is further behind is not worth to begin with: the journal of a long chain is done again in several steps.
const farBlocks = 1024

// What is left to do while the chain stands still.
const leftRecordsMax = 64

export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  const { make, journalPath, onLog } = options
  const { keptBlocks, everyBlocks, quietBlocks, ...limits } = options.limits ?? defaultLimits
  const heldBytes = options.heldBytes ?? (() => process.memoryUsage.rss())
  const dir = dirname(journalPath)
  const abort = new AbortController()
  const { signal } = abort
  let base = options.base
  let quietUntil: number | undefined
  let running: Promise<void> | undefined
  let runningSince = 0

  async function makeNear(head: number): Promise<Checkpoint | undefined> {
    let number = numberOf(base)
    do {
      number = await make({ dir, base: number, keptBlocks, signal })
      if (number === undefined || signal.aborted) return undefined
    } while (head - number > farBlocks)
    return readCheckpoint(dir, number)
  }

  async function advance(head: number): Promise<void> {
    const checkpoint = await makeNear(head)
    if (!checkpoint) return
    try {
      await takeOver(options, checkpoint, signal)
      base = checkpoint
    } catch (error) {
      // Blocks before it were reverted, for instance.
      removeCheckpoint(dir, Number(checkpoint.head.number))
      throw error
    }
    for (const older of listCheckpoints(dir).slice(1)) removeCheckpoint(dir, older)
    options.collectGarbage()
  }

  function isDue(number: number): boolean {
    const blocks = number - (numberOf(base) ?? 0) - keptBlocks
    if (blocks >= everyBlocks) return true
    return blocks >= limits.largeEveryBlocks && heldBytes() > limits.largeBytes
  }

  return {
    async mined(number) {
      quietUntil ??= number + quietBlocks
      if (running || number < quietUntil || !isDue(number)) return await running
      runningSince = number
      running = advance(number)
        .catch((error: Error) => onLog(`No state was saved: ${error.message}`))
        .finally(() => {
          running = undefined
          quietUntil = number + quietBlocks
        })
      await running
    },
    async pace(number, signal) {
      const late = number - runningSince - limits.lateBlocks
      if (!running || late <= 0) return
      const ended = new AbortController()
      const either = AbortSignal.any([signal, ended.signal])
      const waited = setTimeout(late * lateWaitMs, undefined, { signal: either }).catch(() => {})
      await Promise.race([running, waited])
      ended.abort()
    },
    async stop() {
      abort.abort()
      await running
    },
  }
}

/** An EVM that begins with the checkpoint does what came after it, and takes the place of the one that has grown. */
async function takeOver(
  options: CheckpointsOptions,
  checkpoint: Checkpoint,
  signal: AbortSignal,
): Promise<void> {
  const { journalPath, lane, archive, provider } = options
  const successor = await resumeProvider({ ...options, checkpoint })
  let at = checkpoint.journalBytes
  async function catchUp(): Promise<number> {
    const placed = readJournal(journalPath, at)
    for (const { record, endByte } of placed) {
      if (signal.aborted) return 0
      await replayRecord(successor, record)
      at = endByte
    }
    return placed.length
  }
  while ((await catchUp()) > leftRecordsMax);
  await lane.inTurn(async () => {
    await catchUp()
    if (signal.aborted) return
    await assertSameHead(provider, successor)
    archive.follow(checkpoint.archiveBytes)
    await provider.replace(successor)
  })
}

function numberOf(checkpoint: Checkpoint | undefined): number | undefined {
  return checkpoint && Number(checkpoint.head.number)
}

async function assertSameHead(current: Provider, successor: Provider): Promise<void> {
  const [mine, other] = await Promise.all([readHead(current.request), readHead(successor.request)])
  if (mine.hash !== other.hash)
    throw new Error(`from it block ${mine.number} would be ${other.hash}, it is ${mine.hash}`)
}
