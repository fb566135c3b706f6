import type { StoreReads } from '../../packages/server/src/gateway/chain/storeReads.ts'
import {
  createHttpServer,
  type HttpServer,
} from '../../packages/server/src/gateway/http/httpServer.ts'
import type { HttpServerOptions } from '../../packages/server/src/gateway/http/serverOptions.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { createMetrics } from '../../packages/server/src/lib/metrics.ts'
import { gatewayDefaults } from './gatewayDefaults.ts'
import { createMemoryKeys } from './memoryKeys.ts'
import { createUnlimitedClients } from './unlimitedClients.ts'

/** The whole HTTP server without chains, store and keys. */
export function createBareHttpServer(options: Partial<HttpServerOptions> = {}): HttpServer {
  const keys = createMemoryKeys(new Map())
  return createHttpServer({
    ...gatewayDefaults,
    version: '0.0.0',
    chains: new Map(),
    keys,
    store: {} as StoreReads,
    clients: createUnlimitedClients(keys),
    clock: { nowMs: () => 0 },
    metrics: createMetrics(),
    logger: createLogger('silent'),
    ...options,
  })
}
