import type { Config } from '../../config/schema/schema.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Shutdown } from '../../lib/shutdown.ts'
import type { RequiredSeqs, Store } from '../../store/openStore.ts'
import type { WarmMarkets } from '../chain/warmMarket.ts'
import type { Database } from '../openDatabase.ts'
import type { OnStartStep } from '../startStep.ts'
import type { Chains } from './chains.ts'
import type { SeededKeys } from './keys.ts'

/** Options that every role of the program is started with. */
export type RoleOptions = {
  config: Config
  /** Token that opens the terminal; null: the terminal asks for an API key. */
  terminalToken: string | null
  /** Reported by `/health/live`, so that `chaintape status` recognizes its own service. */
  dataDirId: string
  store: Store
  /** Minimum log position that database servers must have to answer reads; a gateway raises it. */
  floor: RequiredSeqs
  database: Database
  /** Configured chains that this start does not run. */
  leftOut: readonly string[]
  /** Filled while an indexer is on standby. */
  warmMarkets: WarmMarkets
  metrics: Metrics
  logger: Logger
  version: string
  /** Started parts register here and are stopped in reverse order. */
  parts: Shutdown
  signal: AbortSignal
  onFatal(error: AppError): void
  onStep: OnStartStep
}

/** What the start reports to the user once the service is ready. */
export type StartupInfo = {
  address: string
  /** URL of the terminal with its token; null: the terminal asks for an API key. */
  terminalUrl: string | null
  /** Key created by this start; null: the user already has a key. */
  apiKey: string | null
  keyFrom: SeededKeys['keyFrom']
  /** When the last key of earlier starts expires; null: no earlier key is valid. */
  earlierKeysUntilS: number | null
  chains: readonly string[]
  /** Chains that are not ready, each with the reason, as `name: reason`. */
  waiting: readonly string[]
  /** True if other machines can connect and no configured proxy adds TLS. */
  isExposed: boolean
  /** JSON-RPC URL of the local EVM chain; null: not running. */
  devnetRpcUrl: string | null
  /** JSON-RPC URL of the local Solana chain; null: not running. */
  localsolRpcUrl: string | null
  /** An active pair for example requests, as `<address>-<chain>`. */
  examplePairId: string | null
}

/** A role that is listening and has started its work. */
export type StartedRole = {
  address: string
  chains: Pick<Chains, 'isComplete' | 'isServing' | 'isMining' | 'waiting'>
  /** Called once, when all chains are ready or the wait for them timed out. */
  ready(): Omit<StartupInfo, 'address' | 'terminalUrl' | 'waiting'>
}
