/** A block's place in its chain. `number` rises but may skip (Solana slots do). */
export type BlockRef = {
  number: number
  hash: string
  /**
   * Number of the previous block in the stream; numbers in between have no block. -1 for the first.
   */
  parentNumber: number
  parentHash: string
} & BlockTime

/** Time of a block. Blocks may share a second: their numbers give their order. */
export type BlockTime = {
  /** Unix seconds. */
  timeS: number
  /** Unix milliseconds within that second. Absent if the node only gives seconds. */
  timeMs?: number | undefined
}

/** Only the time; `timeMs` if it is known. */
export function blockTimeOf({ timeS, timeMs }: BlockTime): BlockTime {
  return timeMs === undefined ? { timeS } : { timeS, timeMs }
}

/** Identifies a block. */
export type BlockId = { number: number; hash: string }

/** Lowest number that a block after this one may have: the start of a range. */
export function lowestNumberAfter(number: number): number {
  return number + 1
}

/** Highest number that a block before this one may have: the end of a range. */
export function highestNumberBefore(number: number): number {
  return number - 1
}

/**
 * Distance of two numbers: an upper bound of the blocks between them, since a chain may skip
 * numbers. Negative if `higher` is below `lower`.
 */
export function blockNumberDistance(lower: number, higher: number): number {
  return higher - lower
}

/** The number `apart` below this one. */
export function blockNumberBelow(number: number, apart: number): number {
  return Math.max(0, number - apart)
}

/** The number `apart` above this one. */
export function blockNumberAbove(number: number, apart: number): number {
  return number + apart
}

// A block is near the head if it is near in blocks or in seconds: block times range from 0.2 s to
// 12 s.
const nearBlocks = 8
const nearS = 10

type BlockMoment = Pick<BlockRef, 'number' | 'timeS'>

/**
 * Is the block the head, or within the few blocks or seconds behind it that usually separate nodes?
 */
export function isNearHead(block: BlockMoment, head: BlockMoment): boolean {
  return (
    blockNumberDistance(block.number, head.number) <= nearBlocks ||
    head.timeS - block.timeS <= nearS
  )
}

/** Sorts by number, lowest first. */
export function compareBlockNumbers(a: { number: number }, b: { number: number }): number {
  return a.number - b.number
}

/** Encodes a block number for a column in which 0 means none. */
export function encodeBlockColumn(number: number): number {
  return number + 1
}

/** Decodes such a column; -1 means none. */
export function decodeBlockColumn(mark: number): number {
  return mark - 1
}

/**
 * Events of a chain, in order. Commits link by parent hash. Reverts arrive newest block first and
 * name committed blocks. A finalized block is never reverted.
 */
export type ChainEvent<block> =
  /**
   * `doubt` says why the block's content is unverified; absent if it was verified or no check
   * failed.
   */
  | { type: 'commit'; block: block; receivedMs: number; doubt?: string | undefined }
  | { type: 'revert'; ref: BlockRef }
  | { type: 'finalize'; ref: { number: number; hash: string } }

/** A node's error. */
export type NodeFault = {
  /** Public: the endpoint and the kind, as `endpoint 1: timeout`, or the error's code. */
  summary: string
  /** For the log and the admin API: includes the node's text, without secrets. */
  text: string
}

/** Progress of a block source. */
export type BlockSourceProgress = {
  startNumber: number
  headNumber: number
  /** Time of the head in unix seconds; 0 before the first one is known. */
  headTimeS: number
  finalizedNumber: number
  /** Delivered blocks up to this number are never reverted. */
  settledNumber: number
  cursorNumber: number
  isLive: boolean
  lastError: NodeFault | null
  /** Checks that blocks of every endpoint fail, as a sentence without a full stop. @default none */
  failedCheck?: string | null | undefined
}
