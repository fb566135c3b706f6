// The image of deploy/Dockerfile, built and started as a container would be: read-only and not as
// root.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type ExternalDevnet, startExternalDevnet } from '../support/externalDevnet.ts'
import { freePort } from '../support/freePort.ts'
import { urlOf, withClient } from '../support/postgres.ts'
import { splitLimits } from '../support/program.ts'
import { startSocketProxy } from '../support/tcpProxy.ts'

const here = import.meta.dirname
const nodeUser = 1000
const bytesMax = 200e6

type ImageConfig = {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  Labels: Record<string, string>
  Healthcheck: { Test: string[] }
  StopSignal: string
}

let config: ImageConfig
let container: string
let root: string
let devnet: ExternalDevnet
const folders: string[] = []

const buildah = (...args: string[]) => execFileSync('buildah', args, { encoding: 'utf8' }).trim()

/** A folder that the image's user may write. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chaintape-image-'))
  folders.push(folder)
  chownSync(folder, nodeUser, nodeUser)
  return folder
}

beforeAll(async () => {
  const image = execFileSync(join(here, 'build.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  container = buildah('from', image.trim())
  root = buildah('mount', container)
  config = JSON.parse(buildah('inspect', '--type', 'image', image.trim())).Docker.config
  devnet = await startExternalDevnet()
}, 1_800_000)

afterAll(async () => {
  await devnet?.stop()
  if (container !== undefined) buildah('rm', container)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Arguments of run.sh for a command in the image. */
function inImage(data: string, command: string[], env: string[] = [], volumes: string[] = []) {
  return [root, data, ...volumes, '--', ...config.Env, ...env, ...command]
}

const exec = (data: string, command: string[], env: string[] = []) =>
  spawnSync(join(here, 'run.sh'), inImage(data, command, env), { encoding: 'utf8' })

test('behavior: the image runs as a user without rights, and its files weigh under 200 MB', () => {
  expect(config).toMatchObject({ User: 'node', StopSignal: 'SIGTERM' })
  const kilobytes = execFileSync('du', ['-sk', join(root, 'app')], { encoding: 'utf8' })
  expect(Number.parseInt(kilobytes, 10) * 1024).toBeLessThan(bytesMax)
})

test('behavior: the label, the program and package.json name the same version', () => {
  const { version } = JSON.parse(readFileSync(resolve(here, '../../package.json'), 'utf8'))
  expect(config.Labels['org.opencontainers.image.version']).toBe(version)
  const { stdout } = exec(makeFolder(), [...config.Entrypoint, '--version'])
  expect(stdout.trim()).toBe(version)
})

test('behavior: the root file system cannot be written', () => {
  const { status, stderr } = exec(makeFolder(), ['touch', '/app/file'])
  expect(stderr).toContain('Read-only file system')
  expect(status).not.toBe(0)
})

/**
 * Starts the image's own command with the local chain until it is ready, checks it, and stops it.
 */
async function runService(env: string[], volumes: string[] = []): Promise<string> {
  const data = makeFolder()
  const port = await freePort()
  const settings = makeFolder()
  writeFileSync(
    join(settings, 'chaintape.json'),
    // On a busy machine a stop may take longer than the usual limit.
    JSON.stringify({
      ...splitLimits({ stop_ms_max: 60_000 }),
      chains: { local: devnet.chains.local },
    }),
  )
  const variables = [...env, `CHAINTAPE_SERVER_PORT=${port}`, 'CHAINTAPE_SERVER_HOST=127.0.0.1']
  const command = [...config.Entrypoint, 'start', '--config', join(settings, 'chaintape.json')]
  const service = spawn(
    join(here, 'run.sh'),
    inImage(data, command, variables, [settings, ...volumes]),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const ended = new Promise<number | null>((done) => service.once('close', done))
  try {
    await untilReady(service, port, () => output)
    const [kind, ...check] = config.Healthcheck.Test
    expect(kind).toBe('CMD')
    expect(exec(data, check, variables).status).toBe(0)
  } finally {
    service.kill('SIGTERM')
  }
  expect(await ended, output).toBe(0)
  // A service that does not answer is unhealthy.
  expect(exec(data, config.Healthcheck.Test.slice(1), variables).status).toBe(1)
  return data
}

async function untilReady(service: ChildProcess, port: number, output: () => string) {
  for (;;) {
    if (service.exitCode !== null) throw new Error(`The service ended: ${output()}`)
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null)
    if (answer?.ok) return
    await new Promise((next) => setTimeout(next, 200))
  }
}

test('behavior: it serves with a private PostgreSQL, is healthy, and stops on SIGTERM', async () => {
  const data = await runService([])
  // The data directory belongs to the image's user, and PostgreSQL ran in it.
  expect(execFileSync('ls', [data], { encoding: 'utf8' })).toContain('postgres')
}, 300_000)

test('behavior: it serves with a PostgreSQL beside it', async () => {
  const server = inject('postgres')
  await withClient(server, (client) => client.query('CREATE DATABASE image'))
  const connection = { ...server, database: 'image' }
  // The image's user may not enter the folder of the server's socket.
  const host = makeFolder()
  const proxy = await startSocketProxy(connection, host)
  for (const name of readdirSync(host)) chmodSync(join(host, name), 0o666)
  await runService([`CHAINTAPE_DATABASE_URL=${urlOf({ ...connection, host })}`], [host])
  await proxy.close()
  const { rows } = await withClient(connection, (client) =>
    client.query('SELECT count(*)::int AS count FROM tokens'),
  )
  expect(rows[0].count).toBeGreaterThan(0)
}, 300_000)
