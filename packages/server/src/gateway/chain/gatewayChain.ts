import type { ChainIds, ChainState } from '@chaintape/protocol'
import type { MarketReads } from '../../engine/marketReads.ts'
import type { NodeFault } from '../../model/block.ts'
import { type ChainProfile, logoUrlOf } from '../../model/chainProfile.ts'
import type { UnclaimedLogs } from '../../model/evm/unclaimedLogs.ts'
import type { ForgottenIgnoredContracts, MissedPools } from '../../model/trust/ignoredContracts.ts'
import type { UnclaimedProgram } from '../../model/unclaimed.ts'
import type { WalletReader } from '../../model/walletFacts.ts'
import type { RiskReader } from '../../risk/riskReader.ts'
import type { StoredHistory } from '../../store/retention.ts'
import { RequestError } from '../ground/errors.ts'
import type { RecentBlocks } from './recentBlocks.ts'

/** Progress of a backfill, which replaces the chain's stored history when it completes. */
export type BackfillState = {
  /**
   * Why history is re-read. `start`: it must begin earlier. `pools`: trades of some pools in final
   * blocks were skipped. `doubts`: a final block failed verification.
   */
  reason: 'start' | 'pools' | 'doubts'
  /** First block that history must contain once every part of the backfill is done. */
  wantedNumber: number
  /**
   * First block of the current part. Parts are read newest first, and each part is larger than the
   * one before.
   */
  fromNumber: number
  /** Next block that the backfill reads. */
  nextNumber: number
  /** Last block that the backfill reads in its current part; null when unknown. */
  toNumber: number | null
  blocksPerS: number
  /** Why the backfill is paused; null while it runs. */
  pausedReason: string | null
}

/** How far back a chain's history must reach, and the backfill that gets it there. */
export type BackfillStatus = {
  /**
   * First block that history must contain. Null: the first stored block is enough. Undefined: no
   * node has reported the start block yet.
   */
  wantedNumber: number | null | undefined
  /** Progress of the current backfill; null when no backfill is running. */
  progress: BackfillState | null
}

/**
 * Result of the audit, which compares stored data with the nodes. Counted since the service
 * started.
 */
export type AuditStatus = {
  checkedBlocks: number
  checkedBalances: number
  /** Unix seconds of the last audited comparison; null before the first. */
  checkedAtS: number | null
  /** First block of the audit's last comparison; null before the first. */
  fromNumber: number | null
  toNumber: number | null
  /** Number of stored values that the audit found to differ from the chain. */
  differences: number
  /** The audit's most recent difference, as a sentence. */
  lastDifference: string | null
  /** Why the audit is paused; null while it runs. */
  pausedReason: string | null
}

/** State of one RPC endpoint. Endpoints are listed in the order of the config key `rpc`. */
export type NodeStatus = {
  /** Position of the endpoint in `rpc` and its host, joined by a colon. */
  name: string
  /** False while other endpoints are preferred, because this endpoint failed or lags. */
  isHealthy: boolean
  lastError: NodeFault | null
}

/** State of a chain's ingestion and storage. Market state is in `MarketReads`. */
export type ChainStatus = {
  state: ChainState
  /** True once the chain was at the head, or close behind it, since the service started. */
  wasReady: boolean
  /** Why the chain is not at the head now; null when it is. */
  lagReason: string | null
  /** Newest block that the nodes announce; null until a node answers. */
  tipNumber: number | null
  /** Unix seconds of the newest announced block, as reported by the nodes; null when unknown. */
  tipTimeS: number | null
  /** Newest stored block; null when the store is empty. */
  persistedNumber: number | null
  /** Number of applied blocks that are not stored yet. */
  queueBlocks: number
  queueBlocksMax: number
  pausedReason: string | null
  databaseError: string | null
  /** Summary of the nodes' errors; null while any node answers. */
  rpcError: string | null
  /**
   * Block checks that every endpoint fails, as a sentence without a full stop. Undefined or null:
   * no check fails.
   */
  failedCheck?: string | null
  /**
   * Number of contracts that block ingestion: the next block needs to know whether they are pools,
   * and no node answers that.
   */
  unresolvedPools: number
  /**
   * Programs with trades that no venue decodes, most calls first. Undefined: not counted in this
   * process.
   */
  unclaimedPrograms?: readonly UnclaimedProgram[] | undefined
  /**
   * Pools that were first classified as not being pools, so their trades in final blocks are
   * missing.
   */
  missedPools: MissedPools | null
  /**
   * Contracts with skipped events whose addresses are no longer stored. Undefined or null: no such
   * contract.
   */
  forgottenContracts?: ForgottenIgnoredContracts | null
  /**
   * Errors of each endpoint, shown only with the admin key. Undefined: this process does not query
   * nodes.
   */
  nodes?: { error: string | null; endpoints: readonly NodeStatus[] } | undefined
  /**
   * Problems of the newest block, found by the clock or by comparing nodes. Undefined: not checked
   * in this process.
   */
  headWarnings?: readonly string[]
  /** First block of history, as configured. */
  startBlock: number | 'latest'
  /**
   * Logs of known contracts that no venue decodes, most frequent first. Undefined: not counted in
   * this process.
   */
  unclaimedLogs?: readonly UnclaimedLogs[] | undefined
  history: StoredHistory
  /** Backfill state. Undefined or null: this process does not backfill. */
  past?: BackfillStatus | null
  /** Audit state. Undefined or null: this process does not audit stored data. */
  audit?: AuditStatus | null
  /** Why expired history is not deleted; null while retention works. */
  retentionError: string | null
  /** Stored blocks whose content no node could prove. Undefined: every stored block is verified. */
  doubtful?: { count: number; newestNumber: number | null; untrueCount?: number }
  /** What a chain that is still opening waits for. Undefined: the chain is open and can be read. */
  openingReason?: string
}

/** URLs of token images, as found in the tokens' metadata. */
export type TokenImages = {
  /**
   * Returns the image URL of a token, or an empty string while unknown. The lookup runs in the
   * background, so a later call may return the URL.
   */
  of(token: string): string
}

/** One chain as the gateway (REST, WebSocket and feed) sees it. */
export type GatewayChain = {
  /** Parses and canonicalizes the chain's addresses and transaction hashes. */
  ids: ChainIds
  profile: ChainProfile
  /** The chain's id in the store. */
  storeId: number
  reads: MarketReads
  /**
   * Market version, which grows with each applied log entry. Anything computed from an older
   * version may be stale.
   */
  version(): number
  status(): ChainStatus
  /**
   * Newest blocks in memory: they complete rows read from the store, and the feed replays and
   * reverts them.
   */
  recent: RecentBlocks
  /** Reads native balances and code of addresses from the chain's nodes. */
  wallets: WalletReader
  /** Image lookup of tokens. @default no image lookup */
  images?: TokenImages | undefined
  /** Runs and caches risk checks of token contracts. */
  risk: Omit<RiskReader, 'stats'>
}

/** All configured chains by name. Chains that are still opening are included. */
export type GatewayChains = ReadonlyMap<string, GatewayChain>

/**
 * Returns the logo URL from the token's metadata, else from the configured logo list; empty when
 * both are unknown.
 */
export function tokenLogoUrl({ images, profile }: GatewayChain, token: string): string {
  return images?.of(token) || logoUrlOf(profile, token)
}

// Maximum length of a chain name. Error messages cut longer input off.
const nameCharsMax = 32

export type Clock = { nowMs(): number }

/**
 * Returns the unix seconds that rolling windows end at. The head's time is used while the chain's
 * clock is ahead of ours.
 */
export function chainNowS(chain: GatewayChain, clock: Clock): number {
  const wallS = Math.floor(clock.nowMs() / 1_000)
  return Math.max(wallS, chain.reads.head()?.timeS ?? 0)
}

/** Returns a configured chain, ready or not. Throws `unknown_chain` for any other name. */
export function requireChain(chains: GatewayChains, name: string, param = 'chain'): GatewayChain {
  const chain = chains.get(name)
  if (chain === undefined)
    throw new RequestError(
      'unknown_chain',
      `The chain ${JSON.stringify(name.slice(0, nameCharsMax))} is not served here. The chains are: ${[...chains.keys()].join(', ')}.`,
      param,
    )
  return chain
}

/** Returns a configured chain that has a block. Throws `unknown_chain` or `not_ready`. */
export function requireReadyChain(
  chains: GatewayChains,
  name: string,
  param: string,
): GatewayChain {
  const chain = requireChain(chains, name, param)
  const reason = notReadyReason(chain)
  if (reason !== null)
    throw new RequestError('not_ready', `The chain ${name} cannot be asked: ${reason}.`, param)
  return chain
}

/** True for a configured chain that is still opening, so that nothing can be read. */
export function isOpening({ reads, status }: GatewayChain): boolean {
  return reads.head() === null && status().openingReason !== undefined
}

/** Returns why a chain cannot answer queries; null when it can. */
export function notReadyReason({ reads, status }: GatewayChain): string | null {
  if (reads.head() !== null) return null
  const { tipNumber, rpcError, failedCheck, databaseError, pausedReason, openingReason } = status()
  const tip =
    tipNumber === null ? 'no node has answered' : `the newest block of the nodes is ${tipNumber}`
  const because = openingReason ?? failedCheck ?? rpcError ?? databaseError ?? pausedReason ?? tip
  return `no block is applied yet (${because})`
}
