// The system under test: a chain, a database with a replica, NATS, the processes of a service, and
// for each process its own clock and its own connections to the database.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, type ClusterProcess, type Role, startCluster } from '../support/cluster.ts'
import { type DatabaseProxies, startDatabaseProxies } from '../support/databaseProxies.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { createJumpingClock, type JumpingClock } from '../support/jumpingClock.ts'
import { createNextBuild, type NextBuild } from '../support/nextBuild.ts'
import { withClient } from '../support/postgres.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replica.ts'
import { until } from '../support/until.ts'

/** Clock and database connections of one process, indexed as its role's processes are. */
export type ProcessEnvironment = { clock: JumpingClock; databaseProxies: DatabaseProxies }

export type World = {
  market: IndexedNode
  postgres: ReplicatedPostgres
  cluster: Cluster
  indexers: readonly ProcessEnvironment[]
  gateways: readonly ProcessEnvironment[]
  /** A later version of the program. */
  next: NextBuild
  stop(): Promise<void>
}

const counts = { indexer: 2, gateway: 3 }

export async function startWorld(seed: string): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'ct-'))
  const [market, postgres, next] = await Promise.all([
    startIndexedNode({ seed, blocks: 20 }),
    startReplicatedPostgres(),
    createNextBuild(),
  ])
  const servers = [postgres.primary.connection, postgres.replica.connection]
  const surround = async (role: Role) => {
    const all: ProcessEnvironment[] = []
    for (let index = 0; index < counts[role]; index += 1) {
      const name = join(folder, `${role[0]}${index}`)
      const databaseProxies = await startDatabaseProxies(servers, name)
      all.push({ databaseProxies, clock: await createJumpingClock(join(name, 'clock')) })
    }
    return all
  }
  const surroundings = { indexer: await surround('indexer'), gateway: await surround('gateway') }
  const cluster = await startCluster({
    chain: market.node,
    connection: postgres.primary.connection,
    natsServers: 3,
    indexers: counts.indexer,
    gateways: counts.gateway,
    // Tiny market memory, so that most rows are served from pages on disk.
    changes: { limits: { snapshot_every_ms: 5_000 }, settings: { market_memory: 30_000 } },
    envOf(role, index) {
      const { databaseProxies, clock } = surroundings[role][index]!
      return { ...databaseProxies.env, ...clock.env }
    },
  })
  return {
    market,
    postgres,
    cluster,
    indexers: surroundings.indexer,
    gateways: surroundings.gateway,
    next,
    async stop() {
      await cluster.stop()
      for (const { databaseProxies } of Object.values(surroundings).flat())
        await databaseProxies.close()
      await market.stop()
      await postgres.stop()
      await next.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type ChainHealth = { head_block: number; persisted_block: number }

/** `chain` is undefined until the gateway serves the chain. */
type Health = { status: number; reasons: string[]; chain: ChainHealth | undefined }

/** Null if the process does not answer. */
export async function healthOf({ address }: ClusterProcess): Promise<Health | null> {
  const response = await fetch(`${address}/health/ready`).catch(() => null)
  if (response === null) return null
  const { reasons, chains } = (await response.json()) as {
    reasons: string[]
    chains: Record<string, ChainHealth>
  }
  return { status: response.status, reasons, chain: chains.local }
}

/** Waits until the store has the node's head. */
export async function untilStored({ market, postgres }: World): Promise<void> {
  const { number, hash } = await market.node.readHead()
  await until(`block ${number} is stored`, () =>
    withClient(postgres.primary.connection, async (client) => {
      const { rows } = await client.query('SELECT 1 FROM cursors WHERE hash = $1', [hash])
      return rows.length === 1
    }).catch(() => false),
  )
}

/** Waits until every gateway and the store have the node's head. */
export async function untilAtHead(world: World): Promise<void> {
  const { number } = await world.market.node.readHead()
  await untilStored(world)
  for (const gateway of world.cluster.gateways)
    await until(`${gateway.address} is at block ${number}`, async () => {
      const chain = (await healthOf(gateway))?.chain
      return chain?.head_block === number && chain.persisted_block === number
    })
}
