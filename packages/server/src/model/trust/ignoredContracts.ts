import type { BlockRef } from '../block.ts'

/** The first block with ignored events of a contract that does not answer like a pool. */
export type FirstIgnoredBlock = Pick<BlockRef, 'number' | 'hash' | 'parentNumber' | 'parentHash'>

/** A contract whose events are ignored. */
export type IgnoredContract = { address: string; since: FirstIgnoredBlock }

/** Changes of a block to the record of ignored contracts. */
export type IgnoredContractChanges = {
  /** Contracts that turned out to be pools after their events in final blocks were ignored. */
  missed: readonly string[]
  /** Contracts that are pools and of which no event was ignored. */
  cleared: readonly string[]
  /** Dropped for lack of room. `isSettled`: they were asked often enough to be sure. */
  forgotten: readonly { address: string; isSettled: boolean }[]
  /** Contracts whose events this block ignores. */
  leftOut: readonly string[]
}

/** Pools whose trades in final blocks are missing. */
export type MissedPools = {
  count: number
  /** The first of them, by block. Trades in these blocks are missing, both ends included. */
  pools: readonly { address: string; fromNumber: number; toNumber: number }[]
  /** First and last block of all of them. */
  fromNumber: number
  toNumber: number
}

/** Contracts of which the range of ignored events is no longer known. */
export type ForgottenIgnoredContracts = { count: number; fromNumber: number; toNumber: number }
