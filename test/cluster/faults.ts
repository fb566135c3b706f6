// Faults that are injected into a service of several processes while clients listen.
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ClusterProcess } from '../support/cluster.ts'
import { showsClockOffset } from '../support/jumpingClock.ts'
import { mineLaunch } from '../support/mineLaunch.ts'
import { until } from '../support/until.ts'
import {
  healthOf,
  type ProcessEnvironment,
  untilAtHead,
  untilStored,
  type World,
} from './clusterWorld.ts'

export type Pick = (count: number) => number

export type Fault = {
  name: string
  isOfLeader?: true
  /** The fault cannot be undone, so it runs once. */
  isOnce?: true
  run(world: World, pick: Pick): Promise<void>
}

// Below the finality depth, so that no final block is replaced.
const reorgDepth = 3
// Longer than a lease.
const stopMs = 6_500

/** True while the last log lines of a process say that it leads or led. */
const isLeading = (member: ClusterProcess) =>
  member.stderr().split('ended:').at(-1)!.includes('"msg":"Leads"')

/** Index of the indexer with the newest lease. */
function leaderOf({ cluster }: World): number {
  return Math.max(0, cluster.indexers.map(isLeading).lastIndexOf(true))
}

const leading = (world: World) => world.cluster.indexers[leaderOf(world)]!

async function stopFor(
  { market }: World,
  signal: (name: NodeJS.Signals) => void,
  timeMs: number,
): Promise<void> {
  signal('SIGSTOP')
  await Promise.all([delay(timeMs), market.mine(3)])
  signal('SIGCONT')
}

async function jumpClock(
  member: ClusterProcess,
  { clock }: ProcessEnvironment,
  pick: Pick,
): Promise<void> {
  const hours = clock.offsetHours() === 0 ? [1, -1][pick(2)]! : 0
  await clock.jump(hours)
  await until(`the clock of ${member.address} is off by ${hours} h`, async () => {
    const response = await fetch(`${member.address}/health/live`).catch(() => null)
    return response !== null && showsClockOffset(response, hours)
  })
}

async function cutLines({ databaseProxies }: ProcessEnvironment): Promise<void> {
  await until('it has sessions of the database', () => databaseProxies.connectionCount() > 0)
  databaseProxies.cut()
}

/**
 * Replaces the newest blocks. Mines a launch first: otherwise the bots would mine the replaced
 * blocks again.
 */
async function replaceBlocks({ market }: World): Promise<void> {
  await market.node.reorg(reorgDepth)
  await mineLaunch(market.node)
  await market.mine(reorgDepth)
}

const ofProcesses: readonly Fault[] = [
  {
    name: 'kill -9 of the leading indexer',
    isOfLeader: true,
    run: (world) => leading(world).kill(),
  },
  {
    name: 'SIGSTOP of the leading indexer',
    isOfLeader: true,
    run: (world) => stopFor(world, leading(world).signal, stopMs),
  },
  {
    name: 'kill -9 of a gateway',
    run: ({ cluster }, pick) => cluster.gateways[pick(3)]!.kill(),
  },
  {
    name: 'SIGSTOP of a gateway',
    run: (world, pick) => stopFor(world, world.cluster.gateways[pick(3)]!.signal, 2_000),
  },
  {
    name: 'the clock of the leading indexer jumps',
    isOfLeader: true,
    run(world, pick) {
      const index = leaderOf(world)
      return jumpClock(world.cluster.indexers[index]!, world.indexers[index]!, pick)
    },
  },
  {
    name: 'the clock of a gateway jumps',
    run({ cluster, gateways }, pick) {
      const index = pick(3)
      return jumpClock(cluster.gateways[index]!, gateways[index]!, pick)
    },
  },
  { name: 'a rolling upgrade', isOfLeader: true, isOnce: true, run: upgradeAll },
]

const ofNats: readonly Fault[] = [
  {
    name: 'kill -9 of a NATS server',
    async run({ cluster, market }, pick) {
      const index = pick(3)
      await cluster.nats.kill(index)
      await market.mine(2)
      await cluster.nats.start(index)
    },
  },
  {
    name: 'SIGSTOP of a NATS server',
    run(world, pick) {
      const index = pick(3)
      return stopFor(world, (name) => world.cluster.nats.signal(index, name), 2_000)
    },
  },
  {
    name: 'cut of all lines to NATS',
    async run({ cluster }) {
      for (const line of cluster.natsProxies) line.cut()
    },
  },
]

const ofTheDatabase: readonly Fault[] = [
  {
    name: 'kill -9 of the database',
    isOfLeader: true,
    async run({ postgres, market }) {
      await postgres.primary.kill()
      await market.mine(2)
      await postgres.primary.start()
    },
  },
  {
    name: 'cut of the lines of the leading indexer to the database',
    isOfLeader: true,
    run: (world) => cutLines(world.indexers[leaderOf(world)]!),
  },
  {
    // The standby indexer takes over before the old leader learns of it.
    name: 'the leading indexer hears nothing of the database',
    isOfLeader: true,
    async run(world) {
      const index = leaderOf(world)
      const { databaseProxies } = world.indexers[index]!
      databaseProxies.hold(true)
      await world.market.mine(3)
      await until('the other one leads', () => isLeading(world.cluster.indexers[1 - index]!))
      await untilStored(world)
      databaseProxies.hold(false)
    },
  },
  {
    name: 'cut of the lines of a gateway to the database',
    run: ({ gateways }, pick) => cutLines(gateways[pick(3)]!),
  },
  {
    // A gateway pushes blocks from the log, so it needs no database.
    name: 'a gateway hears nothing of the database',
    async run({ gateways, cluster, market }, pick) {
      const index = pick(3)
      const { databaseProxies } = gateways[index]!
      databaseProxies.hold(true)
      await market.mine(3)
      const { number } = await market.node.readHead()
      await until(`a gateway without the database has block ${number}`, async () => {
        return (await healthOf(cluster.gateways[index]!))?.chain?.head_block === number
      })
      databaseProxies.hold(false)
    },
  },
  {
    name: 'a replica that is behind',
    async run({ postgres, market }) {
      await postgres.replica.pause()
      await market.mine(4)
      await postgres.replica.resume()
    },
  },
  {
    // The promoted replica was stopped for a while, so it lacks blocks.
    name: 'the database is lost and its replica promoted',
    isOfLeader: true,
    async run({ postgres, market }) {
      await postgres.replica.kill()
      await market.mine(3)
      await postgres.primary.kill()
      await postgres.replica.start()
      await postgres.failOver()
    },
  },
]

const ofTheChain: readonly Fault[] = [
  { name: 'a reorg', run: replaceBlocks },
  {
    name: 'every client moves',
    async run({ cluster }) {
      cluster.balancer.move()
    },
  },
  {
    name: 'a reorg while nobody leads',
    isOfLeader: true,
    async run(world) {
      await leading(world).kill()
      await replaceBlocks(world)
    },
  },
]

export const faults: readonly Fault[] = [...ofProcesses, ...ofNats, ...ofTheDatabase, ...ofTheChain]

/**
 * Upgrades gateways first, then the indexers. One gateway is skipped: it must report that it is too
 * old and serve nobody until it is replaced.
 */
async function upgradeAll(world: World, pick: Pick): Promise<void> {
  const { cluster, market, next } = world
  const forgotten = cluster.gateways[pick(3)]!
  for (const gateway of cluster.gateways)
    if (gateway !== forgotten) await gateway.upgrade(next.tree)
  await untilAtHead(world)
  const lives = forgotten.lives()
  for (const indexer of cluster.indexers) {
    await indexer.upgrade(next.tree)
    await market.mine(2)
    await untilStored(world)
  }
  await until('the old gateway says that it is too old', async () => {
    const health = await healthOf(forgotten)
    return health?.status === 503 && health.reasons.join().includes('LOG_ENTRY_TOO_NEW')
  })
  expect(forgotten.stderr()).toContain('Draining: this gateway')
  expect(forgotten.lives()).toBe(lives)
  await forgotten.upgrade(next.tree)
}
