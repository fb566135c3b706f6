// One topic, 1,000 sockets, pushes as fast as possible: the product against the plain use of `ws`,
// Socket.IO, and an epoll loop in C that writes ready bytes. Each server has one core; the client,
// which checks every frame, has the other. Rounds alternate all variants, so that noise affects all
// alike; ratios are within one round.
import type { BenchRow, BenchTable } from './benchTable.ts'
import { countText } from './benchTable.ts'
import { compileC } from './ws/compileC.ts'
import { fetchPackage } from './ws/fetchPackage.ts'
import type { Pace } from './ws/pacer.ts'
import {
  type BenchServer,
  type ClientOptions,
  type Measured,
  measureOnce,
  median,
  startNodeServer,
  startServer,
} from './ws/runClient.ts'
import { type SwapTopic, subscribeLine, writeSamplePush } from './ws/samplePush.ts'

export type FanOutOptions = { rounds?: number; seconds?: number; sockets?: number }

type Variant = {
  name: string
  start(pace: Pace): Promise<BenchServer>
  client?: Partial<ClientOptions>
}

/** One figure per round, by variant. */
type Figures = Map<string, Measured[]>

const socketIoVersion = '4.8.4'
const nextNodeVersion = '26.10.0'
const ours = 'ours'
const naive = 'ws, send(JSON.stringify(message)) to each'
const limit = 'C, epoll, ready bytes'

// With this many pushes in flight, 1,000 sockets stay well below the kernel's buffers.
const window = 64
const warmPushes = 200

export async function runWsFanOutBench(options: FanOutOptions = {}): Promise<BenchTable> {
  const { rounds = 5, seconds = 3, sockets = 1_000 } = options
  const notes: string[] = []
  const samples = {
    multi_tx: writeSamplePush('multi_tx'),
    tx: writeSamplePush('tx'),
  }
  const rows: BenchRow[] = []
  for (const topic of ['multi_tx', 'tx'] as const) {
    const { path, bytes } = samples[topic]
    const variants = mainVariants(topic, path)
    if (topic === 'multi_tx') variants.push(...furtherVariants(topic, path, notes))
    for (const perTick of [1, 8]) {
      const figures: Figures = new Map(variants.map(({ name }) => [name, []]))
      for (let round = 0; round < rounds; round += 1)
        for (const { name, start, client } of variants) {
          const server = await start({ perTick, window, ticksPerS: null })
          const base = { sockets, seconds, warmSeconds: 1, warmPushes, isSame: true }
          const subscribe = { lines: [subscribeLine(topic, 0)] }
          const measured = await measureOnce(server, { ...base, ...subscribe, ...client })
          figures.get(name)!.push(measured)
          // Prints each result at once: a run takes minutes and may be aborted.
          console.error(
            `${topic}, ${perTick} a tick, round ${round + 1}: ${name}: ${rateText(measured)}`,
          )
        }
      const tick = perTick === 1 ? 'one at a time' : `${perTick} a tick`
      rows.push(...rowsOf(`${topic}, ${countText(bytes)} bytes, ${tick}`, perTick, figures))
    }
  }
  const name = `WebSocket fan-out to ${countText(sockets)} sockets, medians of ${rounds} rounds`
  return { name: [name, ...notes].join('; '), rows }
}

const startOurs = (node: string) => (pace: Pace) =>
  startNodeServer(node, './oursServer.ts', { ...pace, pairs: 1 })
const startLibrary = (node: string, payloadPath: string) => (pace: Pace) =>
  startNodeServer(node, './libraryServer.ts', { ...pace, payloadPath })

function mainVariants(topic: SwapTopic, payloadPath: string): Variant[] {
  return [
    { name: naive, start: startLibrary(process.execPath, payloadPath) },
    { name: ours, start: startOurs(process.execPath) },
    {
      name: 'ours, a request id of its own on each socket',
      start: startOurs(process.execPath),
      client: { lines: [subscribeLine(topic, 0, '%d')] },
    },
    {
      name: limit,
      start: ({ perTick }) =>
        startServer(compileC('epollServer'), [payloadPath, String(perTick), String(window)]),
    },
  ]
}

/** Variants outside this repository's dependencies, if npm can fetch them. */
function furtherVariants(topic: SwapTopic, payloadPath: string, notes: string[]): Variant[] {
  const variants: Variant[] = []
  const packageDir = fetchPackage('socket.io', socketIoVersion)
  if (packageDir === null) notes.push(`no Socket.IO: npm could not fetch ${socketIoVersion}`)
  else
    variants.push({
      name: `Socket.IO ${socketIoVersion}`,
      start: (pace) =>
        startNodeServer(process.execPath, './socketIoServer.ts', {
          ...pace,
          payloadPath,
          packageDir,
        }),
      client: { isSocketIo: true, lines: ['42["subscribe"]'] },
    })
  const nodeDir = fetchPackage('node', nextNodeVersion)
  if (nodeDir === null) notes.push(`no other Node.js: npm could not fetch ${nextNodeVersion}`)
  else {
    const node = `${nodeDir}/bin/node`
    variants.push(
      { name: `${naive}, Node ${nextNodeVersion}`, start: startLibrary(node, payloadPath) },
      {
        name: `${ours}, Node ${nextNodeVersion}`,
        start: startOurs(node),
        client: { lines: [subscribeLine(topic, 0)] },
      },
    )
  }
  return variants
}

const rateOf = ({ deliveries, seconds }: Measured) => deliveries / seconds
const cpuUsOf = ({ deliveries, serverCpuS }: Measured) => (serverCpuS / deliveries) * 1e6

function rateText(measured: Measured): string {
  return `${countText(rateOf(measured))} deliveries/s, ${cpuUsOf(measured).toFixed(2)} µs of CPU each`
}

function rowsOf(shape: string, perTick: number, figures: Figures): BenchRow[] {
  const ratios = (of: (of: Measured) => number, name: string, to: string) =>
    median(figures.get(name)!.map((one, round) => of(one) / of(figures.get(to)![round]!)))
  const rows = [...figures].map(([name, list]): BenchRow => {
    const rate = countText(median(list.map(rateOf)))
    const cpu = median(list.map(cpuUsOf)).toFixed(2)
    const ofLimit = ratios(rateOf, name, limit).toFixed(2)
    const value = `${rate} deliveries/s, ${ofLimit} of C; ${cpu} µs of the server's CPU each`
    return { metric: `${shape}: ${name}`, value }
  })
  const [naiveGoal, limitGoal] = perTick === 1 ? ['3.5x', 'half'] : ['12x', 'a third']
  const compare = (to: string, goal: string): BenchRow => ({
    metric: `${shape}: ours against ${to}`,
    value: `${ratios(rateOf, ours, to).toFixed(2)}x by the clock, ${(1 / ratios(cpuUsOf, ours, to)).toFixed(2)}x by CPU time`,
    goal,
  })
  return [...rows, compare(naive, `${naiveGoal}`), compare(limit, `${limitGoal}`)]
}
