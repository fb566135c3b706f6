import type { ChainIds } from '@chaintape/protocol'
import type { EndpointRates } from '../chain/rpc/rateLimit.ts'
import type { Logger } from '../lib/logger.ts'
import type { Schema } from '../lib/schema.ts'
import type { BlockRef, NodeFault } from '../model/block.ts'
import type { RiskLimits } from '../risk/riskLimits.ts'
import type { ChainSetup, PipelineLimits } from './chainSetup.ts'
import type { CommonChainConfig } from './commonChainFields.ts'
import type { ConfigProblem } from './configProblem.ts'
import type { ConnectedNodes, EndpointTally, Intake } from './intake.ts'

/**
 * Everything in which one family of chains differs from the others. A kind is this, and its place in chainKinds.ts: config,
 * threads and gateway ask it there, and know no family themselves.
 */
export type ChainKind<
  config extends CommonChainConfig = CommonChainConfig,
  setup extends ChainSetup = ChainSetup,
  block = unknown,
  schema extends Schema = Schema,
> = {
  /** The word of `kind` in the config. */
  name: string
  /** Fields of its chains in the config: those of every kind and its own. */
  schema: schema
  /** How its tokens, pairs and transactions are written. */
  ids: ChainIds
  /** What no single field of its config can say. Fields have passed the schema. */
  check(path: string, chain: config): ConfigProblem[]
  /** Addresses of its nodes, and where they stand in it. @default none */
  urlsOf?(chain: config): { path: string; url: string }[]
  /** Contracts whose pools are trusted. @default it has no such */
  poolSourcesOf?(chain: config): readonly unknown[]
  /** How many nodes a chain of the config names: each takes some connections. */
  endpointCountOf(chain: config): number
  /** Of a checked config, what its thread is opened with. */
  setupOf(name: string, chain: config, limits: PipelineLimits): setup
  /** Loads the code of `openIntake`, which comes later. @default it is loaded then */
  loadIntake?(): Promise<unknown>
  /** Blocks in order, decoded, and what else the stages ask of the chain. Runs in the chain's thread. */
  openIntake(options: IntakeOptions<setup>): Promise<Intake<block>>
  /** The chain's nodes as those ask them who call the service. Runs in a thread of its own. */
  connectNodes(options: NodesOptions<setup>): Promise<ConnectedNodes>
  past: ChainPast<setup>
}

/** How the past of a chain is read while its head is followed. */
export type ChainPast<setup extends ChainSetup = ChainSetup> = {
  /** The same chain, asked at this share of the rate that its nodes bear. */
  setupOf(setup: setup, ratePercent: number): setup
  /** The same chain, read as strictly as its nodes allow, so many blocks at once. @default as it is always read */
  strictSetupOf?(setup: setup, rangeBlocks: number): setup
  /** The first block that is not before a time; rejects when no node answers. */
  findBlockAt(options: BlockAtOptions<setup>): Promise<number>
  /**
   * The first block from a number on, where numbers skip or nodes keep no older ones; rejects when no node answers.
   * @default that very number
   */
  findBlockFrom?(options: BlockFromOptions<setup>): Promise<number>
}

export type BlockFromOptions<setup extends ChainSetup = ChainSetup> = {
  setup: setup
  number: number
  logger: Logger
  signal: AbortSignal
}

export type BlockAtOptions<setup extends ChainSetup = ChainSetup> = {
  setup: setup
  /** Unix seconds. */
  timeS: number
  logger: Logger
  signal: AbortSignal
}

export type IntakeOptions<setup extends ChainSetup = ChainSetup> = {
  setup: setup
  /** Newest canonical blocks, oldest first. */
  known: readonly BlockRef[]
  /** The first block that is stored. */
  firstNumber: number | null
  finalizedNumber: number
  /** Told why it cannot begin yet: no node says where the chain is. */
  onWaiting?: ((fault: NodeFault) => void) | undefined
  /** Limits of its nodes that others share. @default none */
  rates?: EndpointRates | undefined
  logger: Logger
  signal: AbortSignal
}

export type NodesOptions<setup extends ChainSetup = ChainSetup> = {
  setup: setup
  riskLimits: RiskLimits
  /** How the nodes have done in the threads before it. */
  tallies: readonly EndpointTally[]
  /** Filled with the limits of its nodes, for others to share. @default nobody does */
  rates?: EndpointRates | undefined
  logger: Logger
}
