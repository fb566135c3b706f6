import type { ChainIds, ChainState } from '@chaintape/protocol'
import type { MarketReads } from '../engine/marketReads.ts'
import type { NodeFault } from '../model/block.ts'
import { type ChainProfile, logoUrlOf } from '../model/chainProfile.ts'
import type { UnclaimedLogs } from '../model/evm/unclaimedLogs.ts'
import type { ForgottenContracts, MissedPools } from '../model/trust/leftOut.ts'
import type { UnclaimedProgram } from '../model/unclaimed.ts'
import type { WalletReads } from '../model/walletFacts.ts'
import type { RiskReader } from '../risk/riskReader.ts'
import type { StoredHistory } from '../store/retention.ts'
import { RequestError } from './errors.ts'
import type { RecentBlocks } from './recent/recentBlocks.ts'

/** What is being read of a chain's past, beside the chain, to take its place. */
export type HistoryReading = {
  /** start: it shall begin earlier. pools: trades of final blocks were left out. doubts: a final block proved wrong. */
  reason: 'start' | 'pools' | 'doubts'
  /** Where history shall begin in the end. */
  wantedNumber: number
  /** First block of this reading: the newest past is read first, in parts that grow. */
  fromNumber: number
  /** The next block to be read. */
  nextNumber: number
  /** Last block to be read; null: not known yet. */
  toNumber: number | null
  blocksPerS: number
  /** Why it does not go on; null: it does. */
  pausedReason: string | null
}

/** What is wanted and known of a chain's past. */
export type PastStatus = {
  /** Where history shall begin; null: with the first block that is stored. Undefined: no node has said which block that is yet. */
  wantedNumber: number | null | undefined
  /** Null: nothing is being read. */
  reading: HistoryReading | null
}

/** What was compared of what is stored with the nodes, since the service started. */
export type AuditStatus = {
  checkedBlocks: number
  checkedBalances: number
  /** Unix seconds; null: nothing yet. */
  checkedAtS: number | null
  /** The blocks that were compared last; null: none. */
  fromNumber: number | null
  toNumber: number | null
  /** What was found to be stored otherwise than the chain has it. */
  differences: number
  /** The last of them, as a sentence. */
  lastDifference: string | null
  /** Why nothing is compared now; null: it is. */
  pausedReason: string | null
}

/** An endpoint, in the order of `rpc`. */
export type NodeStatus = {
  /** Its place and its host. */
  name: string
  /** False: others are preferred to it now. */
  isHealthy: boolean
  lastError: NodeFault | null
}

/** How the intake of a chain is doing, beside what its engine says. */
export type ChainStatus = {
  state: ChainState
  /** It was at the newest block, or close behind it, since the service started. */
  wasReady: boolean
  /** Why it is not there now; null: it is. */
  behind: string | null
  /** Newest block the nodes announce; null when none answered yet. */
  tipNumber: number | null
  /** Unix seconds of that block, as they say; null when it is not known. */
  tipTimeS: number | null
  /** Newest block in the database; null when there is none. */
  persistedNumber: number | null
  /** Blocks applied and not yet in the database. */
  queueBlocks: number
  queueBlocksMax: number
  pausedReason: string | null
  databaseError: string | null
  /** Summary of what the nodes failed with; null: one answers. */
  rpcError: string | null
  /** Checks of blocks that no endpoint passes, as a sentence without a full stop. Undefined or null: none. */
  failedCheck?: string | null
  /** Contracts of which the next block must know whether they are pools, and no node says so. */
  unresolvedPools: number
  /** Programs that trade and that no venue reads, most calls first. Undefined: this process does not know. */
  unclaimed?: readonly UnclaimedProgram[] | undefined
  /** Pools that were found to be none, and whose trades are not here. */
  missedPools: MissedPools | null
  /** Undefined or null: none. */
  forgottenContracts?: ForgottenContracts | null
  /** Errors of the nodes, for the admin key. Undefined: this process asks no nodes. */
  nodes?: { error: string | null; endpoints: readonly NodeStatus[] } | undefined
  /** What is wrong with its newest block, by the clock or by the nodes. Undefined: nobody looks. */
  headWarnings?: readonly string[]
  /** Where history shall begin. */
  startBlock: number | 'latest'
  /** Logs of known contracts that nothing reads, most first. Undefined: not counted here. */
  unclaimedLogs?: readonly UnclaimedLogs[] | undefined
  history: StoredHistory
  /** Undefined or null: nobody here reads its past. */
  past?: PastStatus | null
  /** Undefined or null: nobody here compares what is stored with the nodes. */
  audit?: AuditStatus | null
  /** Why expired history is not dropped; null: it is. */
  retentionHeld: string | null
  /** Stored blocks that nothing could prove. Undefined: none. */
  doubtful?: { count: number; newestNumber: number | null; untrueCount?: number }
  /** What it waits for before it is open: nothing of it can be read. Undefined: it is open. */
  opening?: string
}

/** Where tokens say that their images are. */
export type TokenImages = {
  /** Empty: not known; whoever asks again later may be told. */
  of(token: string): string
}

/** One chain as the gateway serves it. */
export type GatewayChain = {
  /** How it writes what it names. */
  ids: ChainIds
  profile: ChainProfile
  /** Its number in the store. */
  storeId: number
  reads: MarketReads
  /** Grows with each log entry applied: what was made of an earlier version may be out of date. */
  version(): number
  status(): ChainStatus
  /** The newest blocks: what history needs beside the store, and the feed to resume from and to revert. */
  recent: RecentBlocks
  /** Native balances and code of addresses, from the chain's nodes. */
  wallets: WalletReads
  /** @default nobody looks for them */
  images?: TokenImages | undefined
  /** Checks of contracts. */
  risk: Omit<RiskReader, 'stats'>
}

/** By chain name: all that are configured, from the start on. */
export type GatewayChains = ReadonlyMap<string, GatewayChain>

/** What the token says itself, else where the config says that logos are; empty: nobody knows. */
export function logoOf({ images, profile }: GatewayChain, token: string): string {
  return images?.of(token) || logoUrlOf(profile, token)
}

// No chain has a longer name: what is over it is not repeated to the caller.
const nameCharsMax = 32

export type Clock = { nowMs(): number }

/** Unix seconds to end rolling windows at: a chain whose clock is ahead of ours decides. */
export function nowSOf(chain: GatewayChain, clock: Clock): number {
  const wallS = Math.floor(clock.nowMs() / 1_000)
  return Math.max(wallS, chain.reads.head()?.timeS ?? 0)
}

/** A chain that is served here, be it ready or not. */
export function servedChain(chains: GatewayChains, name: string, param = 'chain'): GatewayChain {
  const chain = chains.get(name)
  if (chain === undefined)
    throw new RequestError(
      'unknown_chain',
      `The chain ${JSON.stringify(name.slice(0, nameCharsMax))} is not served here; these are: ${[...chains.keys()].join(', ')}.`,
      param,
    )
  return chain
}

/** A chain that is served and has a block, or the error that says why not. */
export function chainOf(chains: GatewayChains, name: string, param: string): GatewayChain {
  const chain = servedChain(chains, name, param)
  const reason = notReadyReason(chain)
  if (reason !== null)
    throw new RequestError('not_ready', `The chain ${name} cannot be asked: ${reason}.`, param)
  return chain
}

/** It is configured, and nothing of it can be read yet. */
export function isOpening({ reads, status }: GatewayChain): boolean {
  return reads.head() === null && status().opening !== undefined
}

/** Why a chain cannot be asked; null: it can. */
export function notReadyReason({ reads, status }: GatewayChain): string | null {
  if (reads.head() !== null) return null
  const { tipNumber, rpcError, failedCheck, databaseError, pausedReason, opening } = status()
  const tip = tipNumber === null ? 'no node has answered' : `the tip is ${tipNumber}`
  const because = opening ?? failedCheck ?? rpcError ?? databaseError ?? pausedReason ?? tip
  return `no block is applied yet (${because})`
}
