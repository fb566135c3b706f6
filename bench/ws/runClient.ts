import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileC, workDir } from './compileC.ts'
import { cpuSecondsOf, type JsonLineProcess, startJsonLineProcess } from './jsonLineProcess.ts'
import type { ServerLine } from './serverProtocol.ts'

export type ClientOptions = {
  sockets: number
  slow?: number
  /** Number of sockets that receive each push. @default all */
  fan?: number
  /** Difference of the numbers of successive pushes of one socket. */
  stride?: number
  /** Messages to subscribe with. */
  lines: readonly string[]
  /** Each socket sends only the line with its number. */
  isOwn?: boolean
  isSocketIo?: boolean
  /** All sockets receive the same bytes, except for the id. */
  isSame?: boolean
  seconds?: number
  /**
   * Warm-up: this long and this many pushes. On a busy machine a second is too short to compile hot
   * code.
   */
  warmSeconds?: number
  warmPushes?: number
}

type Quantiles = { p50: number; p99: number; max: number; count: number }

/** Figures counted and checked by the client. */
export type ClientResult = {
  event: 'result'
  seconds: number
  deliveries: number
  checked: number
  bytes: number
  cpuS: number
  /** Time from a push's mark until the last socket had it. */
  lastMs: Quantiles
  /** Time from a push's mark until each socket had it. */
  eachMs: { p50: number; p99: number }
  slow: { pushes: number; closes: number; laggedNotices: number }
}

export type Measured = ClientResult & { serverCpuS: number }

export type Client = {
  connected: Promise<number>
  /** Returns the milliseconds until all subscriptions were acknowledged. */
  subscribe(): Promise<number>
  measure(): Promise<Measured>
  stop(): Promise<void>
}

type Timed = { event: 'connected' | 'subscribed'; ms: number }

const serverCore = 0
const clientCore = 1

/** A server that reports where it listens. */
export type BenchServer = JsonLineProcess & { port: number; control: number }

type Ready = Extract<ServerLine, { event: 'ready' }>

export async function startServer(program: string, args: readonly string[]): Promise<BenchServer> {
  const server = startJsonLineProcess(serverCore, program, args)
  const { port, control } = await server.next<Ready>('ready')
  return { ...server, port, control }
}

/** Starts a server of this folder; `file` is relative to this file. */
export async function startNodeServer(
  node: string,
  file: string,
  options: object,
  nodeArgs: readonly string[] = [],
): Promise<BenchServer> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return startServer(node, [
    ...nodeArgs,
    '--expose-gc',
    '--import',
    'tsx',
    path,
    JSON.stringify(options),
  ])
}

export type Memory = Extract<ServerLine, { event: 'memory' }>

export async function memoryOf(server: BenchServer): Promise<Memory> {
  server.say('memory')
  return server.next<Memory>('memory')
}

/** Connects sockets to a running server. */
export function startClient(server: BenchServer, options: ClientOptions): Client {
  const linesPath = join(workDir, `lines-${server.pid}`)
  writeFileSync(linesPath, options.lines.map((line) => `${line}\n`).join(''))
  const args = [
    ...['--port', server.port, '--control', server.control, '--sockets', options.sockets],
    ...['--slow', options.slow ?? 0, '--fan', options.fan ?? options.sockets],
    ...['--stride', options.stride ?? 1, '--lines', linesPath],
    ...['--seconds', options.seconds ?? 3, '--warm', options.warmSeconds ?? 1],
    ...['--warmPushes', options.warmPushes ?? 0],
    ...(options.isOwn ? ['--own'] : []),
    ...(options.isSame ? ['--same'] : []),
    ...(options.isSocketIo
      ? ['--socketio', '--path', '/socket.io/?EIO=4&transport=websocket']
      : []),
  ]
  const client = startJsonLineProcess(clientCore, compileC('wsClient'), args.map(String))
  return {
    connected: client.next<Timed>('connected').then(({ ms }) => ms),
    async subscribe() {
      client.say('subscribe')
      return (await client.next<Timed>('subscribed')).ms
    },
    async measure() {
      client.say('measure')
      await client.next('measuring')
      const cpuS = cpuSecondsOf(server.pid)
      await client.next('measured')
      const serverCpuS = cpuSecondsOf(server.pid) - cpuS
      return { ...(await client.next<ClientResult>('result')), serverCpuS }
    },
    stop: client.stop,
  }
}

/** Runs one measurement with one server and one client. */
export async function measureOnce(server: BenchServer, options: ClientOptions): Promise<Measured> {
  const client = startClient(server, options)
  try {
    await client.connected
    await client.subscribe()
    return await client.measure()
  } finally {
    await client.stop()
    await server.stop()
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
