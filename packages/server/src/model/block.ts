/** A block's place in its chain. `number` rises but may skip (Solana slots do). */
export type BlockRef = {
  number: number
  hash: string
  /** Of the block before it in the stream: the numbers between the two have no block. -1: there is none before it. */
  parentNumber: number
  parentHash: string
} & BlockTime

/** When a block was made. Blocks may share a second: their order is that of their numbers. */
export type BlockTime = {
  /** Unix seconds. */
  timeS: number
  /** Unix milliseconds, within that second. Absent: the node gives whole seconds only. */
  timeMs?: number | undefined
}

/** The time without the rest; `timeMs` only where it is known. */
export function blockTimeOf({ timeS, timeMs }: BlockTime): BlockTime {
  return timeMs === undefined ? { timeS } : { timeS, timeMs }
}

/** Which block it is, where that is all that matters. */
export type BlockPlace = { number: number; hash: string }

/** The least number that a block after this one may have: where a range of numbers begins. */
export function leastNumberAfter(number: number): number {
  return number + 1
}

/** The greatest number that a block before this one may have: where a range of numbers ends. */
export function greatestNumberBefore(number: number): number {
  return number - 1
}

/** How far two numbers are apart: as many blocks at most, fewer where a chain skips some. Negative: the other way. */
export function numbersApart(lower: number, higher: number): number {
  return higher - lower
}

/** The number that is so far below this one. */
export function numberBelow(number: number, apart: number): number {
  return Math.max(0, number - apart)
}

/** The number that is so far above this one. */
export function numberAbove(number: number, apart: number): number {
  return number + apart
}

// Blocks of 0.2 s come five a second, those of 12 s are news for a minute: it is enough to be near in one of the two.
const nearBlocks = 8
const nearS = 10

type BlockMoment = Pick<BlockRef, 'number' | 'timeS'>

/** Whether a block is the head, or the few blocks or seconds behind it in which blocks are on their way. */
export function isNearHead(block: BlockMoment, head: BlockMoment): boolean {
  return numbersApart(block.number, head.number) <= nearBlocks || head.timeS - block.timeS <= nearS
}

/** Sorts by number, the lowest first. */
export function byNumber(a: { number: number }, b: { number: number }): number {
  return a.number - b.number
}

/** A block number as a column has it, where 0 says that there is none. */
export function markOfNumber(number: number): number {
  return number + 1
}

/** -1: the column has none. */
export function numberOfMark(mark: number): number {
  return mark - 1
}

/**
 * What a chain says happened, in order. Commits link by parent hash; reverts arrive newest block
 * first and name blocks that were committed; a finalized block is never reverted.
 */
export type ChainEvent<block> =
  /** `doubt`: why what the block says may not be true, where nobody could be found who tells better. */
  | { type: 'commit'; block: block; receivedMs: number; doubt?: string | undefined }
  | { type: 'revert'; ref: BlockRef }
  | { type: 'finalize'; ref: { number: number; hash: string } }

/** An error of a node. */
export type NodeFault = {
  /** Public: the endpoint and the kind, as `endpoint 1: timeout`, or the code of the error. */
  summary: string
  /** For the log and the admin key: includes the node's text, without secrets. */
  text: string
}

/** How far a source of blocks has come. */
export type SourceProgress = {
  startNumber: number
  headNumber: number
  /** Unix seconds, as the head says; 0: no node told of one yet. */
  headTimeS: number
  finalizedNumber: number
  /** Blocks up to this one are never reverted once they are given out. */
  settledNumber: number
  cursorNumber: number
  isLive: boolean
  lastError: NodeFault | null
  /** Checks of blocks that no endpoint passes, as a sentence without a full stop. @default none */
  failedCheck?: string | null | undefined
}
