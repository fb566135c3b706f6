import type { ResponseEnvelope } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { AdminRoutesOptions } from '../admin/addAdminRoutes.ts'
import type { Clients } from '../clients/clients.ts'
import type { Clock, GatewayChains } from '../gatewayChain.ts'
import type { StoreReads } from '../history/storeReads.ts'
import type { BrowserKeys } from '../keys/browserKeys.ts'
import type { OpenKeyAccess } from '../keys/createKeyAccess.ts'
import type { Screener } from '../screener/screener.ts'
import type { Turns } from '../turns/turns.ts'
import type { SendLimits } from './connections.ts'
import type { LoadMcp } from './mcpRoute.ts'

export type GatewayLimits = SendLimits & {
  connectionsMax: number
  requestMsMax: number
  bodyBytesMax: number
  headAgeSMax: number
  /** Memory for tokens and pairs of all chains as ready JSON. */
  encodedRowsBytesMax: number
}

/** Of these, what is the same for every service. */
export const fixedGatewayLimits = {
  // 200 ids, the most that an operation takes, are some 12 KB.
  bodyBytesMax: 65_536,
  /** Time a client may take to send its request. */
  requestMsMax: 30_000,
  // Two megabytes, the longest list, at 35 KB/s.
  sendMsMax: 60_000,
  /** Answers of all connections that wait for their readers. */
  unsentBytesMax: 268_435_456,
} as const satisfies Partial<GatewayLimits>

export type HttpServerOptions = {
  version: string
  /** Id of the service's data directory. @default not reported */
  dataDirId?: string | undefined
  /** May be filled after the server listens: health says what is missing. */
  chains: GatewayChains
  keys: Pick<OpenKeyAccess, 'knows' | 'identify' | 'usageOf'> &
    Pick<Partial<OpenKeyAccess>, 'sockets'>
  admin?: AdminRoutesOptions
  clients: Clients
  store: StoreReads
  metrics: Metrics
  logger: Logger
  limits: GatewayLimits
  responseEnvelope: ResponseEnvelope
  /** Charts may have their key in the path. @default false */
  isKeyInUdfPath?: boolean
  /** Where clients reach the service: the servers of its documents. @default the address that it listens on */
  baseUrls?: readonly string[] | undefined
  /** Origins whose pages may call it from a browser; `*`: all. */
  corsOrigins: readonly string[]
  /** Keys that the terminal gets for its token. @default none: its page asks for an API key */
  browserKeys?: BrowserKeys | undefined
  clock: Clock
  /** Answers the Model Context Protocol. Undefined: there is no /mcp. */
  mcp?: LoadMcp
  /** Of the whole service. @default its own */
  turns?: Turns
  /** Of the whole service. @default its own */
  screener?: Screener
  /** What is answered here. @default all of it */
  parts?: readonly ServedPart[]
}

/** The market with all that describes it, whether the service is well, figures for Prometheus, and what makes keys. */
export type ServedPart = 'market' | 'health' | 'metrics' | 'admin'

export const servedParts: readonly ServedPart[] = ['market', 'health', 'metrics', 'admin']

/** Steps before a server listens, when it does, and when it has closed. `address` has the real port. */
export type Lifecycle = {
  prepare?(): Promise<unknown>
  start?(address: string): void
  stop?(): void
}
