import type { ResponseEnvelope } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Clock, GatewayChains } from '../chain/gatewayChain.ts'
import type { StoreReads } from '../chain/storeReads.ts'
import type { Clients } from '../clients/clients.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { BrowserKeys } from '../keys/browserKeys.ts'
import type { RunningKeyAccess } from '../keys/createKeyAccess.ts'
import type { ScreenerBoards } from '../lists/screenerBoards.ts'
import type { AdminRoutesOptions } from './admin/addAdminRoutes.ts'
import type { AnswerReadLimits } from './connections.ts'
import type { LoadMcp } from './mcpRoute.ts'

export type GatewayLimits = AnswerReadLimits & {
  connectionsMax: number
  requestMsMax: number
  bodyBytesMax: number
  headAgeSMax: number
  /** Memory for the encoded JSON rows of tokens and pairs of all chains. */
  encodedRowsBytesMax: number
}

/** HTTP limits that no config key changes. */
export const fixedGatewayLimits = {
  // The largest input of an operation, 200 ids, has about 12 KB.
  bodyBytesMax: 65_536,
  /** Time a client may take to send its request. */
  requestMsMax: 30_000,
  // Time for the longest list, 2 MB, at 35 KB/s.
  sendMsMax: 60_000,
  /** Total bytes of answers that clients have not read yet, over all connections. */
  unsentBytesMax: 268_435_456,
} as const satisfies Partial<GatewayLimits>

export type HttpServerOptions = {
  version: string
  /** Id of the service's data directory, for `/health/live`. @default not reported */
  dataDirId?: string | undefined
  /**
   * Chains to serve. May be filled after the server listens: `/health/ready` reports missing
   * chains.
   */
  chains: GatewayChains
  keys: Pick<RunningKeyAccess, 'knows' | 'identify' | 'usageOf'> &
    Pick<Partial<RunningKeyAccess>, 'sockets'>
  admin?: AdminRoutesOptions
  clients: Clients
  store: StoreReads
  metrics: Metrics
  logger: Logger
  limits: GatewayLimits
  responseEnvelope: ResponseEnvelope
  /** Whether chart paths may contain the API key. @default false */
  isKeyInUdfPath?: boolean
  /** Base URLs of the service, for its API documents. @default the address that it listens on */
  baseUrls?: readonly string[] | undefined
  /** Origins whose pages may call the service from a browser. `*` allows all. */
  corsOrigins: readonly string[]
  /**
   * Issues API keys to the terminal's page, for its token. @default none: the page asks for an API
   * key
   */
  browserKeys?: BrowserKeys | undefined
  clock: Clock
  /** Loads the Model Context Protocol package. Undefined disables /mcp. */
  mcp?: LoadMcp
  /** Scheduler of the whole service. @default a new scheduler */
  scheduler?: Scheduler
  /** Screener of the whole service. @default a new screener */
  screener?: ScreenerBoards
  /** Parts of the service that this server answers for. @default all parts */
  parts?: readonly ServedPart[]
}

/**
 * Part of the HTTP interface: market data with its documents, health, Prometheus metrics, or
 * administration of keys.
 */
export type ServedPart = 'market' | 'health' | 'metrics' | 'admin'

export const allParts: readonly ServedPart[] = ['market', 'health', 'metrics', 'admin']

/**
 * Hooks that run before a server listens, once it listens, and after it has closed. `address` has
 * the actual port.
 */
export type LifecycleHooks = {
  prepare?(): Promise<unknown>
  start?(address: string): void
  stop?(): void
}
