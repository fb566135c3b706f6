import type { ChainIds } from '@chaintape/protocol'
import type { EndpointRates } from '../chain/rpc/rateLimit.ts'
import type { Logger } from '../lib/logger.ts'
import type { Schema } from '../lib/schema.ts'
import type { BlockRef, NodeFault } from '../model/block.ts'
import type { RiskLimits } from '../risk/riskChecker.ts'
import type { ChainSetup, PipelineLimits } from './chainSetup.ts'
import type { CommonChainConfig } from './commonChainFields.ts'
import type { ConfigProblem } from './configProblem.ts'
import type { ChainIntake, ConnectedNodes, EndpointStats } from './intake.ts'

/**
 * Everything that differs between families of chains. A family is one ChainKind, listed in
 * chainKinds.ts; config, worker threads and gateway only use this type.
 */
export type ChainKind<
  config extends CommonChainConfig = CommonChainConfig,
  setup extends ChainSetup = ChainSetup,
  block = unknown,
  schema extends Schema = Schema,
> = {
  /** Value of `kind` in the config. */
  name: string
  /** Schema of the family's chains in the config: common fields and its own. */
  schema: schema
  /** How ids of tokens, pairs and transactions are written and checked. */
  ids: ChainIds
  /**
   * Checks a chain's config for problems that no single field shows. Fields have passed the schema.
   */
  check(path: string, chain: config): ConfigProblem[]
  /** Returns node URLs with their paths in the chain's config. @default none */
  urlsOf?(chain: config): { path: string; url: string }[]
  /** Returns the contracts whose pools are trusted. @default the family has none */
  poolSourcesOf?(chain: config): readonly unknown[]
  /** Returns the number of nodes in a chain's config; each takes some connections. */
  endpointCountOf(chain: config): number
  /** Turns a checked config into the options that the chain's thread starts with. */
  setupOf(name: string, chain: config, limits: PipelineLimits): setup
  /** Loads the code of `openIntake` ahead of time. @default loaded on first use */
  loadIntake?(): Promise<unknown>
  /**
   * Opens the chain's decoded blocks, in order, and its ChainReader. Runs in the chain's thread.
   */
  openIntake(options: IntakeOptions<setup>): Promise<ChainIntake<block>>
  /** Connects to the chain's nodes for requests of API clients. Runs in a separate thread. */
  connectNodes(options: NodesOptions<setup>): Promise<ConnectedNodes>
  backfill: ChainBackfill<setup>
}

/** How blocks before the first stored one are backfilled while the head is followed. */
export type ChainBackfill<setup extends ChainSetup = ChainSetup> = {
  /** Returns the chain's setup with this share of its request rate. */
  throttledSetupOf(setup: setup, ratePercent: number): setup
  /**
   * Returns the chain's setup with every available node check on, reading at most `rangeBlocks` at
   * once. @default the unchanged setup
   */
  verifiedSetupOf?(setup: setup, rangeBlocks: number): setup
  /** Finds the first block at or after a time. Rejects if no node answers. */
  findBlockAt(options: FindBlockAtOptions<setup>): Promise<number>
  /**
   * Finds the first available block from a number on, for chains that skip numbers or whose nodes
   * prune old blocks. Rejects if no node answers. @default the number itself
   */
  findBlockFrom?(options: FindBlockFromOptions<setup>): Promise<number>
}

export type FindBlockFromOptions<setup extends ChainSetup = ChainSetup> = {
  setup: setup
  number: number
  logger: Logger
  signal: AbortSignal
}

export type FindBlockAtOptions<setup extends ChainSetup = ChainSetup> = {
  setup: setup
  /** Requested time in Unix seconds. */
  timeS: number
  logger: Logger
  signal: AbortSignal
}

export type IntakeOptions<setup extends ChainSetup = ChainSetup> = {
  setup: setup
  /** The newest canonical blocks, oldest first. */
  known: readonly BlockRef[]
  /** Number of the first stored block. */
  firstNumber: number | null
  finalizedNumber: number
  /** Called while the start is delayed because no node reports the head. */
  onWaiting?: ((fault: NodeFault) => void) | undefined
  /** Rate limits shared with other users of the same nodes. @default none */
  rates?: EndpointRates | undefined
  logger: Logger
  signal: AbortSignal
}

export type NodesOptions<setup extends ChainSetup = ChainSetup> = {
  setup: setup
  riskLimits: RiskLimits
  /** Request counts of the nodes, from an earlier thread. */
  tallies: readonly EndpointStats[]
  /** Filled with the nodes' rate limits, for other users to share. @default not shared */
  rates?: EndpointRates | undefined
  logger: Logger
}
