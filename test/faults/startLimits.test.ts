// Starts on a database that hangs, and with few open files allowed.
import { execFileSync } from 'node:child_process'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readOpenFilesMax } from '../../packages/server/src/lib/files/openFiles.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { runProgram } from '../support/program.ts'
import { startService, untilStored } from '../support/service.ts'
import { until } from '../support/until.ts'

let market: IndexedNode

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'start limits', blocks: 5 })
})

afterAll(() => market.stop())

/** A server that accepts connections and never answers. */
async function openSilentServer() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('default: the limit of open files as the system reports it', () => {
  const inShell = execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  expect(`${readOpenFilesMax() ?? 'unlimited'}`).toBe(inShell)
})

test('error: a database that accepts connections and never answers is reported repeatedly, then the start fails', async () => {
  const port = await openSilentServer()
  const { config } = await market.createConfig()
  const url = `postgres://somebody:a-secret@127.0.0.1:${port}/market`
  const args = ['start', '--json', '--config', config, '--port', '0', '--database-url', url]
  const program = runProgram(args)
  const notices = () =>
    program
      .stderr()
      .split('\n')
      .filter((line) => line.includes('Still waiting'))
      .map((line) => JSON.parse(line) as { waitsFor: string; waitedS: number })
  await until('it says so', () => notices().length > 0)
  expect(notices()[0]).toMatchObject({
    waitsFor: `the database at postgres://127.0.0.1:${port}/market`,
  })
  expect(await program.ended).toBe(75)
  expect(notices().length).toBeGreaterThan(1)
  const { error } = JSON.parse(program.stderr().trim().split('\n').at(-1)!)
  expect(error).toMatchObject({ code: 'STORE_UNREACHABLE', retryable: true })
  expect(program.stderr()).not.toContain('a-secret')
  expect(program.stdout()).toBe('')
})

test('error: too few open files are reported before anything starts', async () => {
  const { config } = await market.createConfig()
  const program = runProgram(
    ['start', '--json', '--config', config, '--port', '0'],
    {},
    undefined,
    { openFiles: 64 },
  )
  expect(await program.ended).toBe(1)
  const lines = program.stderr().trim().split('\n')
  expect(JSON.parse(lines.at(-1)!).error).toMatchObject({
    code: 'OPEN_FILES_LIMIT',
    retryable: false,
  })
  expect(program.stderr()).not.toContain('    at ')
})

test('behavior: with few open files connections are limited, and blocks are still read and stored', async () => {
  const { dataDir, config } = await market.createConfig()
  const service = await startService(dataDir, config, [], { openFiles: 512 })
  onTestFinished(() => service.kill())
  expect(service.stderr()).toContain('The limit of open files allows fewer connections')
  const { hostname, port } = new URL(service.ready.address)
  const sockets = Array.from({ length: 900 }, () =>
    connect(Number(port), hostname).on('error', () => undefined),
  )
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await until('more were refused than accepted', () => {
    return sockets.filter(({ destroyed }) => destroyed).length > 450
  })
  await market.mine(3)
  await untilStored(dataDir, market.node)
  for (const socket of sockets) socket.destroy()
  await until(
    'it answers again',
    async () => (await service.chainHealth().catch(() => null)) !== null,
  )
  expect(service.stderr()).not.toMatch(/EMFILE|\n {4}at /)
  expect(await service.stop()).toBe(0)
})
