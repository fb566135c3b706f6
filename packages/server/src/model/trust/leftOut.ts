import type { BlockRef } from '../block.ts'

/** Where events of a contract were first left out, because it does not answer like a pool. */
export type FirstLeftOut = Pick<BlockRef, 'number' | 'hash' | 'parentNumber' | 'parentHash'>

/** A contract whose events are left out. */
export type LeftOutContract = { address: string; since: FirstLeftOut }

/** What a block changes in the record of contracts whose events are left out. */
export type LeftOutChanges = {
  /** They are pools: what was left out of final blocks is missing. */
  missed: readonly string[]
  /** They are pools, or are one from now on: nothing is missing of them. */
  cleared: readonly string[]
  /** There is no more room for them. `settled`: they were asked often enough that nothing is to be expected of them. */
  forgotten: readonly { address: string; isSettled: boolean }[]
  /** Their events are left out of this block. */
  leftOut: readonly string[]
}

/** Pools whose trades of final blocks are not here. */
export type MissedPools = {
  count: number
  /** The first of them, by block. Their trades were left out of these blocks, the ends included. */
  pools: readonly { address: string; fromNumber: number; toNumber: number }[]
  /** All of them. */
  fromNumber: number
  toNumber: number
}

/** Contracts of which it is no longer known where their events were left out. */
export type ForgottenContracts = { count: number; fromNumber: number; toNumber: number }
