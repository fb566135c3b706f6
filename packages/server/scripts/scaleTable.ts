// Writes the tables of docs/operate/scale.md: what one of everything costs, and what deployments
// need by these costs.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const scalePath = resolve(import.meta.dirname, '../../../docs/operate/scale.md')

/**
 * Processor time is of one core, in microseconds. Measured on two shared arm64 cores with Node 20;
 * the table of costs in docs/operate/scale.md names the run of each.
 */
const costs = {
  readSwapUs: 43,
  readTransactionUs: 24,
  indexSwapUs: 11,
  storeSwapUs: 11,
  followSwapUs: 30,
  deliveryUs: 11,
  requestUs: 60,
  processBytes: 600e6,
  pairBytes: 900,
  daySwapBytes: 75,
  socketBytes: 6_600,
  subscriptionBytes: 1_100,
  swapRowBytes: 660,
  logSwapBytes: 780,
  klineRowBytes: 240,
  secondKlinesPerSwap: 1.3,
  minuteKlinesPerSwap: 0.3,
  longKlinesPerSwap: 0.2,
  callsPerBlock: 6,
  callsPerSwap: 0.3,
}

/** How full a thing may run, and the largest of its kind. */
const bounds = {
  loopShare: 0.6,
  /** The part of a gateway's loop that follows the log. */
  followShare: 0.25,
  /** Three quarters of 64 GB. */
  memoryBytes: 48e9,
  databaseSwapsPerS: 17_000,
  databaseBytes: 8e12,
  natsBytesPerS: 50e6,
  socketsPerGateway: 60_000,
}

type Chain = {
  name: string
  swapsPerS: number
  blocksPerS: number
  pairs: number
  /** Read to find the swaps of a block; 0 where nodes filter logs. */
  transactionsPerBlock: number
}

const chain = (
  name: string,
  swapsPerS: number,
  blockMs: number,
  pairs: number,
  transactionsPerBlock = 0,
): Chain => ({ name, swapsPerS, blocksPerS: 1_000 / blockMs, pairs, transactionsPerBlock })

/** Orders of magnitude of busy days, rounded up: assumed, not measured. */
const eth = chain('eth', 15, 12_000, 500_000)
const bsc = chain('bsc', 150, 450, 3_000_000)
const base = chain('base', 150, 200, 3_000_000)
const solana = chain('solana', 1_500, 250, 10_000_000, 1_000)
const small = Array.from({ length: 126 }, (_, i) => chain(`small${i}`, 5, 2_000, 50_000))

type Demand = { name: string; chains: readonly Chain[]; sockets: number; requestsPerS: number }

const demands: readonly Demand[] = [
  { name: 'eth', chains: [eth], sockets: 1_000, requestsPerS: 100 },
  { name: 'eth, bsc, base', chains: [eth, bsc, base], sockets: 1_000, requestsPerS: 100 },
  { name: 'eth, bsc, base', chains: [eth, bsc, base], sockets: 100_000, requestsPerS: 1_000 },
  { name: 'solana', chains: [solana], sockets: 1_000, requestsPerS: 100 },
  {
    name: 'eth, bsc, base, solana',
    chains: [eth, bsc, base, solana],
    sockets: 1_000_000,
    requestsPerS: 10_000,
  },
  {
    name: '130 chains at 50,000 swaps/s',
    chains: scaledTo([eth, bsc, base, solana, ...small], 50_000),
    sockets: 1_000_000,
    requestsPerS: 20_000,
  },
]

const pushesPerSocketS = 0.5
const subscriptionsPerSocket = 10
const swapsDays = 30
const dayS = 86_400

function scaledTo(chains: readonly Chain[], swapsPerS: number): Chain[] {
  const total = sum(chains, (one) => one.swapsPerS)
  return chains.map((one) => ({ ...one, swapsPerS: (one.swapsPerS * swapsPerS) / total }))
}

const indexShare = ({ swapsPerS }: Chain) => (swapsPerS * costs.indexSwapUs) / 1e6
const followShare = ({ swapsPerS }: Chain) => (swapsPerS * costs.followSwapUs) / 1e6
const readShare = ({ swapsPerS, blocksPerS, transactionsPerBlock }: Chain) =>
  (swapsPerS * costs.readSwapUs + blocksPerS * transactionsPerBlock * costs.readTransactionUs) / 1e6
const clientShare = ({ sockets, requestsPerS }: Demand) =>
  (sockets * pushesPerSocketS * costs.deliveryUs + requestsPerS * costs.requestUs) / 1e6
const socketBytes = ({ sockets }: Demand) =>
  sockets * (costs.socketBytes + subscriptionsPerSocket * costs.subscriptionBytes)
const marketBytes = ({ pairs, swapsPerS }: Chain) =>
  pairs * costs.pairBytes + swapsPerS * dayS * costs.daySwapBytes
const processBytes = (chains: readonly Chain[]) => costs.processBytes + sum(chains, marketBytes)

/**
 * The chains in as few processes as hold them, the largest first. A chain too large for any is
 * alone.
 */
function groupsOf(
  chains: readonly Chain[],
  shareOf: (chain: Chain) => number,
  shareMax: number,
): Chain[][] {
  const groups: Chain[][] = []
  for (const one of chains.toSorted((a, b) => b.swapsPerS - a.swapsPerS)) {
    const fitting = groups.find(
      (group) =>
        sum([...group, one], shareOf) <= shareMax &&
        processBytes([...group, one]) <= bounds.memoryBytes,
    )
    if (fitting) fitting.push(one)
    else groups.push([one])
  }
  return groups
}

/** Gateways of a group. Clients are taken to follow chains as much as these trade. */
function gatewaysOf(group: readonly Chain[], demand: Demand): { count: number; share: number } {
  const part = sum(group, followShare) / sum(demand.chains, followShare)
  const freeShare = Math.max(bounds.loopShare - sum(group, followShare), bounds.loopShare / 10)
  const freeBytes = Math.max(bounds.memoryBytes - processBytes(group), bounds.memoryBytes / 10)
  const needed = Math.max(
    (clientShare(demand) * part) / freeShare,
    (demand.sockets * part) / bounds.socketsPerGateway,
    (socketBytes(demand) * part) / freeBytes,
  )
  // One more, so that one may be away.
  const count = Math.ceil(needed) + 1
  return { count, share: sum(group, followShare) + (clientShare(demand) * part) / count }
}

function storedBytesOf(swapsPerS: number): number {
  const klines =
    costs.secondKlinesPerSwap + 90 * costs.minuteKlinesPerSwap + 365 * costs.longKlinesPerSwap
  const ofSwap =
    swapsDays * costs.swapRowBytes + 2 * costs.logSwapBytes + costs.klineRowBytes * klines
  return swapsPerS * dayS * ofSwap
}

function rowOf(demand: Demand): string[] {
  const { chains, sockets, requestsPerS } = demand
  const swapsPerS = sum(chains, (one) => one.swapsPerS)
  const isOneProcess =
    sum(chains, indexShare) + clientShare(demand) <= bounds.loopShare &&
    processBytes(chains) + socketBytes(demand) <= bounds.memoryBytes &&
    sockets <= bounds.socketsPerGateway
  const indexers = groupsOf(chains, indexShare, bounds.loopShare)
  const followers = isOneProcess ? [] : groupsOf(chains, followShare, bounds.followShare)
  const gateways = followers.map((group) => gatewaysOf(group, demand))
  const gatewayCount = sum(gateways, ({ count }) => count)
  const databaseCount = Math.ceil(
    Math.max(swapsPerS / bounds.databaseSwapsPerS, storedBytesOf(swapsPerS) / bounds.databaseBytes),
  )
  // A second indexer follows each group and takes over.
  const indexerCount = isOneProcess ? 1 : 2 * indexers.length
  const largest = Math.max(...[...indexers, ...followers].map(processBytes))
  const natsBytesPerS = swapsPerS * costs.logSwapBytes * (indexerCount + gatewayCount)
  const natsCount = Math.max(3, Math.ceil(natsBytesPerS / bounds.natsBytesPerS))
  const calls = sum(
    chains,
    (one) => one.blocksPerS * costs.callsPerBlock + one.swapsPerS * costs.callsPerSwap,
  )
  const shares: readonly [string, number][] = [
    ['the thread that reads a chain', Math.max(...chains.map(readShare)) / bounds.loopShare],
    [
      'the main thread of an indexer',
      Math.max(...indexers.map((group) => sum(group, indexShare))) / bounds.loopShare,
    ],
    [
      'the main thread of a gateway',
      Math.max(0, ...gateways.map(({ share }) => share)) / bounds.loopShare,
    ],
    ['memory of a process', largest / bounds.memoryBytes],
    ['disk of a PostgreSQL', storedBytesOf(swapsPerS) / databaseCount / bounds.databaseBytes],
  ]
  const [fullest, part] = shares.reduce((a, b) => (a[1] >= b[1] ? a : b))
  return [
    demand.name,
    rounded(swapsPerS),
    rounded(sockets),
    rounded(requestsPerS),
    isOneProcess ? '1 process' : `${indexerCount} indexers, ${gatewayCount} gateways`,
    bytesText(largest),
    `${databaseCount}; ${bytesText(storedBytesOf(swapsPerS))}`,
    isOneProcess ? 'none' : `${natsCount} servers`,
    `${rounded(calls)}/s`,
    `${fullest}, ${Math.round(part * 100)} %`,
  ]
}

const head = [
  ...['chains', 'swaps/s', 'sockets', 'requests/s', 'processes', 'largest market'],
  ...['PostgreSQL; stored in a year', 'NATS', 'calls to nodes', 'nearest to its bound'],
]

/** docs/operate/scale.md with its table as the costs make it. */
export function scaleDocs(text: string): string {
  const lines = [head, head.map(() => '---'), ...demands.map(rowOf)]
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  const place = /(<!-- npm run generate -->\n).*?(<!-- end -->)/s
  return text.replace(place, (_, begin: string, end: string) => `${begin}${table}\n${end}`)
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function rounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en-US')
}

function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  return `${rounded(bytes / 1_000 ** power)} ${units[power]}`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(scalePath, scaleDocs(readFileSync(scalePath, 'utf8')))
