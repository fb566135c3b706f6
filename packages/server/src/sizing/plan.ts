import type { ChainLoad } from './chainLoads.ts'
import { bounds, unitCosts } from './unitCosts.ts'

/** What is asked of a deployment. */
export type Demand = {
  chains: readonly ChainLoad[]
  sockets: number
  pushesPerSocketS: number
  subscriptionsPerSocket: number
  requestsPerS: number
  swapsDays: number
  machine: { memoryBytes: number }
}

/** Chains that share one process, and what that one is busy with. */
export type ChainGroup = {
  chains: string[]
  loopShare: number
  memoryBytes: number
  /** How many processes of the kind there are for these chains. */
  count: number
}

export type Strain = { what: string; share: number; advice: string }

export type Plan = {
  swapsPerS: number
  indexers: ChainGroup[]
  gateways: ChainGroup[]
  databases: { count: number; storedBytes: number; bytesPerDay: number; cores: number }
  nats: { servers: number; bytesPerS: number } | null
  nodeCallsPerS: number
  /** What is used most of its bound, the nearest to it first; over 1 it does not work. */
  strains: Strain[]
}

const dayS = 86_400
const us = 1e-6

/** How many of what a demand needs, by the unit costs and bounds. */
export function planFor(demand: Demand): Plan {
  const swapsPerS = sum(demand.chains, (chain) => chain.swapsPerS)
  const indexers = groupsOf(demand, indexShare, bounds.loopShare).map((group) => ({
    ...group,
    // A second one follows warm and takes over.
    count: isOneProcess(demand) ? 1 : 2,
  }))
  const gateways = isOneProcess(demand) ? [] : gatewaysFor(demand)
  const processes = sum([...indexers, ...gateways], ({ count }) => count)
  const databases = databasesFor(demand, swapsPerS)
  const nats = gateways.length === 0 ? null : natsFor(swapsPerS, processes)
  return {
    swapsPerS,
    indexers,
    gateways,
    databases,
    nats,
    nodeCallsPerS: sum(
      demand.chains,
      ({ blocksPerS, swapsPerS: swaps }) =>
        blocksPerS * unitCosts.callsPerBlock + swaps * unitCosts.callsPerSwap,
    ),
    strains: strainsOf(demand, { indexers, gateways, databases, nats }),
  }
}

/** Whether one process that does everything is enough: the default, and the simplest. */
function isOneProcess(demand: Demand): boolean {
  const share = sum(demand.chains, indexShare) + clientShare(demand)
  return (
    share <= bounds.loopShare &&
    memoryOf(demand.chains) + socketMemory(demand) <= usable(demand) &&
    demand.sockets <= bounds.socketsPerGateway
  )
}

const indexShare = ({ swapsPerS }: ChainLoad) => swapsPerS * unitCosts.indexSwapUs * us
const followShare = ({ swapsPerS }: ChainLoad) => swapsPerS * unitCosts.followSwapUs * us

/** Of a core, what reading one chain takes in its own thread. */
const readShare = ({ swapsPerS, blocksPerS, transactionsPerBlock }: ChainLoad) =>
  (swapsPerS * unitCosts.readSwapUs +
    blocksPerS * transactionsPerBlock * unitCosts.readTransactionUs) *
  us

/** Of cores, what all clients together take. */
const clientShare = ({ sockets, pushesPerSocketS, requestsPerS }: Demand) =>
  (sockets * pushesPerSocketS * unitCosts.deliveryUs + requestsPerS * unitCosts.requestUs) * us

const socketMemory = ({ sockets, subscriptionsPerSocket }: Demand) =>
  sockets * (unitCosts.socketBytes + subscriptionsPerSocket * unitCosts.subscriptionBytes)

const memoryOf = (chains: readonly ChainLoad[]) =>
  unitCosts.processBytes +
  sum(
    chains,
    ({ pairs, swapsPerS }) =>
      pairs * unitCosts.pairBytes + swapsPerS * dayS * unitCosts.daySwapBytes,
  )

const usable = ({ machine }: Demand) => machine.memoryBytes * bounds.memoryShare

/** The chains in as few processes as hold them, the largest first; one too large for any stands alone. */
function groupsOf(
  demand: Demand,
  shareOf: (chain: ChainLoad) => number,
  shareMax: number,
): ChainGroup[] {
  const groups: ChainLoad[][] = []
  for (const chain of [...demand.chains].sort((a, b) => b.swapsPerS - a.swapsPerS)) {
    const fitting = groups.find(
      (group) =>
        sum(group, shareOf) + shareOf(chain) <= shareMax &&
        memoryOf([...group, chain]) <= usable(demand),
    )
    if (fitting === undefined) groups.push([chain])
    else fitting.push(chain)
  }
  return groups.map((chains) => ({
    chains: chains.map(({ name }) => name),
    loopShare: sum(chains, shareOf),
    memoryBytes: memoryOf(chains),
    count: 1,
  }))
}

/** Clients are taken to follow chains as much as these trade. */
function gatewaysFor(demand: Demand): ChainGroup[] {
  const total = sum(demand.chains, followShare)
  return groupsOf(demand, followShare, bounds.followShare).map((group) => {
    const part = group.loopShare / total
    const room = Math.max(bounds.loopShare - group.loopShare, bounds.loopShare / 10)
    const freeMemory = Math.max(usable(demand) - group.memoryBytes, usable(demand) / 10)
    const needed = Math.max(
      (clientShare(demand) * part) / room,
      (demand.sockets * part) / bounds.socketsPerGateway,
      (socketMemory(demand) * part) / freeMemory,
    )
    // One more than needed, so that one may be away.
    const count = Math.ceil(needed) + 1
    return {
      ...group,
      count,
      loopShare: group.loopShare + (clientShare(demand) * part) / count,
      memoryBytes: group.memoryBytes + (socketMemory(demand) * part) / count,
    }
  })
}

function databasesFor({ swapsDays }: Demand, swapsPerS: number): Plan['databases'] {
  const swapsPerDay = swapsPerS * dayS
  const { klineRowBytes: kline, ...cost } = unitCosts
  const storedBytes =
    swapsPerDay *
    (swapsDays * cost.swapRowBytes +
      2 * cost.logSwapBytes +
      kline * (cost.secondKlinesPerSwap + 90 * cost.minuteKlinesPerSwap) +
      365 * kline * cost.longKlinesPerSwap)
  const count = Math.max(
    1,
    Math.ceil(swapsPerS / bounds.databaseSwapsPerS),
    Math.ceil(storedBytes / bounds.databaseBytes),
  )
  const bytesPerDay = swapsPerDay * (cost.swapRowBytes + cost.logSwapBytes + kline)
  return { count, storedBytes, bytesPerDay, cores: swapsPerS * cost.storeSwapUs * us }
}

function natsFor(swapsPerS: number, readers: number): NonNullable<Plan['nats']> {
  const bytesPerS = swapsPerS * unitCosts.logSwapBytes * readers
  // Three hold a stream while one is away; more of them carry more chains.
  return { servers: Math.max(3, Math.ceil(bytesPerS / bounds.natsBytesPerS)), bytesPerS }
}

type Parts = Pick<Plan, 'indexers' | 'gateways' | 'databases' | 'nats'>

function strainsOf(demand: Demand, { indexers, gateways, databases, nats }: Parts): Strain[] {
  const busiest = demand.chains.reduce((a, b) => (readShare(a) >= readShare(b) ? a : b))
  const fullest = (groups: readonly ChainGroup[], of: (group: ChainGroup) => number) =>
    Math.max(0, ...groups.map(of))
  const strains: Strain[] = [
    {
      what: `thread that reads ${busiest.name}`,
      share: readShare(busiest) / bounds.loopShare,
      advice: 'A chain is read by one thread: a faster core.',
    },
    {
      what: 'main thread of an indexer',
      share: fullest(indexers, ({ loopShare }) => loopShare) / bounds.loopShare,
      advice: 'Give its chains indexers of their own (--chains).',
    },
    {
      what: 'memory of a process',
      share: fullest([...indexers, ...gateways], (group) => group.memoryBytes) / usable(demand),
      advice: 'Fewer chains to a process, or more memory: the market of its chains is in each.',
    },
    {
      what: 'main thread of a gateway',
      share: fullest(gateways, ({ loopShare }) => loopShare) / bounds.loopShare,
      advice: 'More gateways carry more clients; gateways by chain follow fewer trades each.',
    },
    {
      what: 'disk of a database',
      share: databases.storedBytes / databases.count / bounds.databaseBytes,
      advice: 'A PostgreSQL for each group of chains, shorter retention, or days kept as files.',
    },
    {
      what: 'bytes through a NATS server',
      share: nats === null ? 0 : nats.bytesPerS / nats.servers / bounds.natsBytesPerS,
      advice: 'A NATS cluster for each group of chains.',
    },
  ]
  return strains.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share)
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
