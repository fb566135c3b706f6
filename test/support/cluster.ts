// A service in several processes, as an operator runs it: indexers and gateways that are restarted
// when they end, NATS servers, a database, connections that can be cut, and a load balancer in
// front of the gateways.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { freePort } from './freePort.ts'
import { type NatsServers, startNatsServers } from './natsServers.ts'
import { createDataDir, removeDataDir, type TestConnection, urlOf } from './postgres.ts'
import { type ChainConfigChanges, type Program, runProgram, writeChainConfig } from './program.ts'
import { linkSockets, startTcpProxy, type TcpProxy } from './tcpProxy.ts'

export type Role = 'indexer' | 'gateway'

/** One process, which is restarted whenever it ends. */
export type ClusterProcess = {
  role: Role
  /** HTTP address of a gateway. */
  address: string
  signal(signal: NodeJS.Signals): void
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** Output of all runs of the process. */
  stderr(): string
  lives(): number
  /** Stops the process gracefully and restarts it as the program installed in `tree`. */
  upgrade(tree: string): Promise<void>
  /** Stops the process for good. */
  end(): Promise<void>
}

export type Cluster = {
  indexers: readonly ClusterProcess[]
  gateways: readonly ClusterProcess[]
  nats: NatsServers
  /** Proxies between all processes and the NATS servers. */
  natsProxies: readonly TcpProxy[]
  balancer: Balancer
  /** Starts another indexer, from the program installed in `tree`. */
  addIndexer(tree: string): Promise<ClusterProcess>
  stop(): Promise<void>
}

export type ClusterOptions = {
  chain: Parameters<typeof writeChainConfig>[1]
  connection: TestConnection
  natsServers: number
  indexers: number
  gateways: number
  changes?: ChainConfigChanges
  /** Where a process's program is installed. @default this repository */
  treeOf?: (role: Role, index: number) => string | undefined
  /** Environment variables of one process, in addition to the common ones. @default none */
  envOf?: (role: Role, index: number) => NodeJS.ProcessEnv
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const nats = await startNatsServers(options.natsServers, ['--no_advertise'])
  const natsProxies = await Promise.all(nats.urls.map(startTcpProxy))
  const dataDir = await createDataDir()
  const { settings, ...changes } = options.changes ?? {}
  const configFile = await writeChainConfig(dataDir, options.chain, {
    ...changes,
    settings: {
      database_url: urlOf(options.connection),
      nats: { urls: natsProxies.map(({ address }) => address.replace('http:', 'nats:')) },
      log: { level: 'info' },
      ...settings,
    },
  })
  const startMany = async (role: Role, count: number) => {
    const members: ClusterProcess[] = []
    for (let index = 0; index < count; index += 1)
      members.push(
        await startMember(role, configFile, {
          tree: options.treeOf?.(role, index),
          env: options.envOf?.(role, index),
        }),
      )
    return members
  }
  const indexers = await startMany('indexer', options.indexers)
  const gateways = await startMany('gateway', options.gateways)
  const balancer = await startBalancer(gateways.map(({ address }) => address))
  return {
    indexers,
    gateways,
    nats,
    natsProxies,
    balancer,
    async addIndexer(tree) {
      const member = await startMember('indexer', configFile, { tree })
      indexers.push(member)
      return member
    },
    async stop() {
      await balancer.close()
      await Promise.all([...gateways, ...indexers].map((member) => member.end()))
      await Promise.all(natsProxies.map((line) => line.close()))
      await nats.stop()
      await removeDataDir(dataDir)
    },
  }
}

type MemberProgram = { tree?: string | undefined; env?: NodeJS.ProcessEnv | undefined }

async function startMember(
  role: Role,
  configFile: string,
  { tree, env = {} }: MemberProgram,
): Promise<ClusterProcess> {
  let installed = tree
  const port = await freePort()
  const past: string[] = []
  let isEnding = false
  let program: Program
  const run = () => {
    const words = ['start', '--json', '--config', configFile, '--role', role, '--port', `${port}`]
    program = runProgram(words, env, installed)
    const running = program
    void running.ended.then((code) => {
      past.push(`${running.stderr()}\nended: ${code}\n`)
      if (!isEnding) run()
    })
  }
  run()
  return {
    role,
    address: `http://127.0.0.1:${port}`,
    signal: (signal) => void program.child.kill(signal),
    async kill() {
      const { ended, child } = program
      child.kill('SIGKILL')
      await ended
    },
    stderr: () => [...past, program.stderr()].join(''),
    lives: () => past.length + 1,
    async upgrade(tree) {
      installed = tree
      const { ended, child } = program
      child.kill('SIGTERM')
      await ended
    },
    async end() {
      isEnding = true
      const { ended, child } = program
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Forwards each connection to the next of several servers; if one refuses, to the one after it. */
export type Balancer = {
  address: string
  /** Drops all connections, so that clients reconnect to another server. */
  move(): void
  close(): Promise<void>
}

async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    turn += 1
    const { hostname, port } = new URL(targets[turn % targets.length]!)
    const upstream = connect(Number(port), hostname)
    linkSockets(client, upstream, sockets)
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const move = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    move,
    async close() {
      move()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
