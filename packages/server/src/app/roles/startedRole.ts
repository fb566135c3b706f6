import type { Config } from '../../config/schema/schema.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Shutdown } from '../../lib/shutdown.ts'
import type { Store } from '../../store/openStore.ts'
import type { ReadFloor } from '../../store/replica/readFloor.ts'
import type { WarmMarkets } from '../chain/warmMarket.ts'
import type { Chains } from '../chains/chains.ts'
import type { Database } from '../data/openDatabase.ts'
import type { SeededKeys } from '../keys/seedKeys.ts'
import type { OnStep } from '../startStep.ts'

/** What every role of the program is started with. */
export type RoleOptions = {
  config: Config
  /** Opens the terminal; null: its page asks for an API key. */
  terminalToken: string | null
  /** Reported by `/health/live`, so that `chaintape status` knows its service. */
  dataDirId: string
  store: Store
  /** What the store's servers are held to; a gateway raises it. */
  floor: ReadFloor
  database: Database
  /** Chains that are configured and not run this time. */
  leftOut: readonly string[]
  /** Empty until an indexer stands by. */
  warmMarkets: WarmMarkets
  metrics: Metrics
  logger: Logger
  version: string
  /** What was started is added, to be stopped in reverse. */
  parts: Shutdown
  signal: AbortSignal
  onFatal(error: AppError): void
  onStep: OnStep
}

/** What a service that is ready reports to its user. */
export type ReadyInfo = {
  address: string
  /** Address of the terminal with its token; null: its page asks for an API key. */
  terminalUrl: string | null
  /** Null when it is not of this start: then the user has it. */
  apiKey: string | null
  keyFrom: SeededKeys['keyFrom']
  /** When the last key of the earlier starts expires; null when none of them works. */
  earlierKeysUntilS: number | null
  chains: readonly string[]
  /** Chains that are not ready yet, and how far they are. */
  waiting: readonly string[]
  /** Others can reach it, and no proxy is known that would encrypt what they send. */
  isExposed: boolean
  /** JSON-RPC of the local chain, when it runs. */
  devnetRpcUrl: string | null
  /** The same of the generated Solana chain. */
  localsolRpcUrl: string | null
  /** A pair worth looking at, as `<address>-<chain>`. */
  examplePairId: string | null
}

/** A role that listens and has begun its work. */
export type StartedRole = {
  address: string
  chains: Pick<Chains, 'isComplete' | 'isServing' | 'isMining' | 'waiting'>
  /** Called once, when the chains are ready or that takes too long. */
  ready(): Omit<ReadyInfo, 'address' | 'terminalUrl' | 'waiting'>
}
