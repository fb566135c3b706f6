import type { Config } from '../config/schema.ts'
import type { Logger } from '../lib/logger.ts'

/** What a service that is ready tells its user. */
export type ReadyInfo = {
  address: string
  /** Null when only its hash is known: then the user has it. */
  apiKey: string | null
  chains: readonly string[]
  /** JSON-RPC of the local chain, when it runs. */
  devnetRpcUrl: string | null
  /** A pair worth looking at, as `<address>-<chain>`. */
  examplePairId: string | null
}

export type StartOptions = {
  logger: Logger
  version: string
  /** Aborted when the user asks to stop while starting. */
  signal: AbortSignal
  /** Called once. */
  onReady(info: ReadyInfo): void
}

export type RunningApp = {
  address: string
  /** Stops everything in order. */
  stop(): Promise<void>
  /** Resolves after stop; rejects when the service cannot go on. */
  done: Promise<void>
}

/** How far the backfill of one chain is. */
export type BackfillProgress = {
  chain: string
  fromBlock: number
  /** The block after the newest one written. */
  nextBlock: number
  /** Last block of this backfill. */
  toBlock: number
  /** Events written by this run. */
  eventCount: number
  /** Blocks written by this run: a resumed backfill starts above `fromBlock`. */
  blockCount: number
}

export type BackfillOptions = {
  logger: Logger
  signal: AbortSignal
  /** Only these chains; all when undefined. */
  chains?: readonly string[] | undefined
  onProgress(progress: BackfillProgress): void
}

/** What is in the store of a service that does not run. */
export type StoredStatus = {
  chains: readonly {
    name: string
    block: number
    timeS: number
    finalizedBlock: number | null
  }[]
}

export type KeyPlan = 'free' | 'normal' | 'pro' | 'unlimited'

export type KeyInfo = {
  id: number
  name: string
  plan: string
  createdAtS: number
  expiresAtS: number | null
  revokedAtS: number | null
}

/** The keys in the store, whether the service runs or not. */
export type Keys = {
  /** `key` is shown now and never again. */
  create(key: {
    name: string
    plan: KeyPlan
    expiresAtS: number | null
  }): Promise<{ id: number; key: string }>
  list(): Promise<readonly KeyInfo[]>
  /** False when there is no such key. */
  revoke(id: number): Promise<boolean>
  close(): Promise<void>
}

/** The program's functions behind the commands. */
export type AppFunctions = {
  startApp(config: Config, options: StartOptions): Promise<RunningApp>
  /** Resolves when every chain has reached its last block or the signal stops it. */
  runBackfill(config: Config, options: BackfillOptions): Promise<void>
  /** Null when nothing is stored yet. Never creates anything. */
  readStoredStatus(config: Config, options: { logger: Logger }): Promise<StoredStatus | null>
  openKeys(config: Config, options: { logger: Logger }): Promise<Keys>
}
