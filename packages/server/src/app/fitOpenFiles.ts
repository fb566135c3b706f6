import type { Config } from '../config/schema/schema.ts'
import { chainKindOf } from '../kinds/chainKinds.ts'
import { OpenFilesError } from '../lib/files/openFiles.ts'
import type { Logger } from '../lib/logger.ts'

// What Node, its threads, logs and the pipes to child processes take; an estimate on the high side.
const ownFiles = 80
// Keys, their watch, writers, snapshots and maintenance, beside the connections for reads.
export const databaseFiles = 12
// Connections to the nodes, for blocks and for what callers ask, and to the database: writer and audit.
const filesOfChain = 9
const filesOfEndpoint = 12
// Fewer clients than this are no service.
const connectionsMin = 16
// With room for so many an operator has nothing to do; nobody needs a warning at every start.
const connectionsPlenty = 4_096

/** Files that the service needs for itself, so that its clients never take them from the database and the nodes. */
export function openFilesReserve({ limits, chains }: Pick<Config, 'limits' | 'chains'>): number {
  const endpoints = Object.values(chains).map((chain) => chainKindOf(chain).endpointCountOf(chain))
  // The local chain has one.
  const counts = endpoints.length === 0 ? [1] : endpoints
  const ofChains = counts.map((count) => filesOfChain + filesOfEndpoint * count)
  return (
    ownFiles +
    databaseFiles +
    limits.read_connections_max +
    ofChains.reduce((sum, files) => sum + files, 0)
  )
}

/** The config with as many connections as the limit of open files leaves for clients. */
export function fitOpenFiles(config: Config, openFilesMax: number | null, logger: Logger): Config {
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
