import type { Config } from '../config/schema/schema.ts'
import { chainKindOf } from '../kinds/chainKinds.ts'
import { OpenFilesError } from '../lib/files/openFiles.ts'
import type { Logger } from '../lib/logger.ts'

// Files of Node.js, its threads, logs and pipes to child processes: an upper estimate.
const ownFiles = 80
// Database connections for keys, writers, snapshots and maintenance, in addition to those for
// reads.
export const databaseConnections = 12
// Connections per chain: to nodes, for blocks and for API callers, and to the database, for the
// writer and audits.
const filesOfChain = 9
const filesOfEndpoint = 12
// With fewer client connections than this the service refuses to start.
const connectionsMin = 16
// From this many client connections on, the limit is logged as info instead of a warning at every
// start.
const connectionsPlenty = 4_096

/**
 * Files the service needs for itself. Reserving them keeps clients from starving the database and
 * the nodes.
 */
export function openFilesReserve({ limits, chains }: Pick<Config, 'limits' | 'chains'>): number {
  const endpoints = Object.values(chains).map((chain) => chainKindOf(chain).endpointCountOf(chain))
  // The local chain has one endpoint.
  const counts = endpoints.length === 0 ? [1] : endpoints
  const ofChains = counts.map((count) => filesOfChain + filesOfEndpoint * count)
  return (
    ownFiles +
    databaseConnections +
    limits.read_connections_max +
    ofChains.reduce((sum, files) => sum + files, 0)
  )
}

/**
 * Returns the config with `connections_max` lowered to what the limit of open files leaves for
 * clients.
 */
export function limitConnections(
  config: Config,
  openFilesMax: number | null,
  logger: Logger,
): Config {
  if (openFilesMax === null) return config
  const reserve = openFilesReserve(config)
  const room = openFilesMax - reserve
  if (room < connectionsMin)
    throw new OpenFilesError({ openFilesMax, wanted: reserve + connectionsMin })
  const { connections_max: configured } = config.limits
  if (room >= configured) return config
  logger[room < connectionsPlenty ? 'warn' : 'info']({
    msg: 'The limit of open files allows fewer connections than limits.connections_max; raise it (ulimit -n)',
    openFilesMax,
    reserve,
    configured,
    connectionsMax: room,
  })
  return { ...config, limits: { ...config.limits, connections_max: room } }
}
