// Real NATS servers with JetStream, single or clustered, on their own ports and folders.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './freePort.ts'
import { until } from './until.ts'

export type NatsServers = {
  urls: readonly string[]
  /** Kills a server at once, like a power failure. */
  kill(index: number): Promise<void>
  /** Starts a server with the data it had stored. */
  start(index: number): Promise<void>
  signal(index: number, signal: NodeJS.Signals): void
  stop(): Promise<void>
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true))
    socket.once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** `extra`: further arguments of every server. */
export async function startNatsServers(
  count: number,
  extra: readonly string[] = [],
): Promise<NatsServers> {
  const folder = await mkdtemp(join(tmpdir(), 'chaintape-nats-'))
  const ports: number[] = []
  const routes: number[] = []
  for (let left = count; left > 0; left -= 1) {
    ports.push(await freePort())
    routes.push(await freePort())
  }
  const children: (ChildProcess | null)[] = ports.map(() => null)

  async function start(index: number): Promise<void> {
    const others = routes.filter((_, at) => at !== index)
    const clustered = [
      ...['--cluster_name', 'test', '--cluster', `nats://127.0.0.1:${routes[index]}`],
      ...['--routes', others.map((port) => `nats://127.0.0.1:${port}`).join(',')],
    ]
    const child = spawn(
      process.env.NATS_SERVER ?? 'nats-server',
      [
        ...['-a', '127.0.0.1', '-p', `${ports[index]}`, '-n', `n${index}`, '-js'],
        ...['-sd', join(folder, `${index}`), ...(count > 1 ? clustered : []), ...extra],
      ],
      { stdio: 'ignore' },
    )
    child.once('error', (error) => {
      throw new Error('nats-server is missing: bash test/installNats.sh', { cause: error })
    })
    children[index] = child
    await until(`nats-server ${index} listens`, () => isOpen(ports[index]!))
  }

  async function kill(index: number): Promise<void> {
    const child = children[index]
    children[index] = null
    if (child === null || child === undefined || child.exitCode !== null) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGKILL')
    await ended
  }

  await Promise.all(ports.map((_, index) => start(index)))
  return {
    urls: ports.map((port) => `nats://127.0.0.1:${port}`),
    kill,
    start,
    signal: (index, signal) => void children[index]?.kill(signal),
    async stop() {
      await Promise.all(ports.map((_, index) => kill(index)))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
