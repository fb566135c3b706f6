// Access by API keys to the running program and its command line: who may call and open sockets,
// for how long, and the limits of a plan.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { keyRefusals } from '../conformance/wsContract.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { expectDocumented, type MessageDocument } from '../support/documentedFrames.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { runProgram, testApiKey, writeChainConfig } from '../support/program.ts'
import {
  openProgramSocket,
  type ProgramSocket,
  type SocketOptions,
} from '../support/programSocket.ts'
import { type Service, startService } from '../support/service.ts'

const pair = `0x${'0f'.repeat(20)}`

let node: DevNode
let dataDir = ''
let config = ''
let service: Service
let document: MessageDocument
const sockets: ProgramSocket[] = []

beforeAll(async () => {
  node = await startDevNode()
  dataDir = await createDataDir()
  const plans = {
    small: {
      requests_per_s: 0,
      credits_per_period: 0,
      sockets_max: 2,
      subscriptions_max: 3,
      price_ids_max: 2,
      messages_per_s: 1,
    },
    free: { requests_per_s: 1 },
    normal: { requests_per_s: 0, credits_per_period: 25 },
  }
  config = await writeChainConfig(dataDir, node, { settings: { plans } })
  service = await startService(dataDir, config)
  document = (await (await service.get('/asyncapi.json')).json()) as MessageDocument
})

afterEach(() => {
  for (const { webSocket } of sockets.splice(0)) webSocket.terminate()
})

afterAll(async () => {
  await service?.kill()
  await node?.stop()
  await removeDataDir(dataDir)
})

async function open(options: SocketOptions = {}): Promise<ProgramSocket> {
  const socket = await openProgramSocket(service.ready.address, { key: testApiKey, ...options })
  sockets.push(socket)
  return socket
}

async function keys(...args: string[]): Promise<{ key: string; id: number }> {
  const run = runProgram(['keys', ...args, '--config', config, '--json'])
  expect([await run.ended, run.stderr()]).toEqual([0, ''])
  return JSON.parse(run.stdout())
}

async function expectRefused(options: SocketOptions, message: string): Promise<void> {
  const socket = await open({ ...options })
  expect(await socket.closed).toEqual({ code: 1008, reason: message })
  expect(socket.frames).toEqual([{ error: { code: -1, message } }])
  expectDocumented(document, socket, () => '')
}

test('error: missing and unknown keys, by header and by query', async () => {
  const missing = await openProgramSocket(service.ready.address, { path: '/' })
  sockets.push(missing)
  expect(await missing.closed).toEqual({ code: 1008, reason: keyRefusals.missing })
  expect(missing.frames).toEqual([{ error: { code: -1, message: keyRefusals.missing } }])
  await expectRefused({ key: 'no-key-of-ours' }, keyRefusals.unknown)
  await expectRefused({ headers: {}, path: '/?api_key=no-key-of-ours' }, keyRefusals.unknown)
  const socket = await open({ headers: {}, path: `/?api_key=${testApiKey}&other=1` })
  expect((await socket.call('ping', [], 1)).result).toBe('pong')
})

test('behavior: sockets close as soon as their key ends, and it opens no more', async () => {
  const other = await open()
  const ends = [
    { command: 'revoke', message: keyRefusals.revoked, key: keys('create', '--name', 'first') },
    { command: 'expire', message: keyRefusals.expired, key: keys('create', '--name', 'second') },
  ]
  const ended = ends.map(async ({ command, message, key: made }) => {
    const { key, id } = await made
    const socket = await open({ key })
    await socket.subscribe(['multi_tx', pair, 'local'], 1)
    await keys(command, `${id}`)
    expect(await socket.closed).toEqual({ code: 1008, reason: message })
    expect(socket.frames.at(-1)).toEqual({ error: { code: -1, message } })
    await expectRefused({ key }, message)
    await expectRefused({ headers: {}, path: `/?api_key=${key}` }, message)
  })
  await Promise.all(ended)
  expect((await other.call('ping', [], 1)).result).toBe('pong')
})

test('error: the limits of a plan, each by its name', async () => {
  const { key } = await keys('create', '--plan', 'small', '--name', 'small')
  const socket = await open({ key })
  const second = await open({ key })
  await second.call('ping', [], 1)
  await expectRefused({ key }, keyRefusals.overSockets)
  await second.close()
  const third = await open({ key })
  expect((await third.call('ping', [], 1)).result).toBe('pong')

  const ids = [1, 2, 3].map((n) => `0x${`${n}`.repeat(40)}-local`)
  const tooMany = await socket.subscribe(['price', ids], 1)
  expect(tooMany.error).toMatchObject({
    code: -32000,
    data: { code: 'limit_exceeded', limit: 'price_ids_max', max: 2 },
  })
  for (const name of ['s1', 'k1', 'k5']) await socket.subscribe(['kline', pair, name, 'local'], 2)
  const over = await socket.subscribe(['kline', pair, 'k15', 'local'], 3)
  expect(over.error).toMatchObject({
    code: -32000,
    data: { limit: 'subscriptions_max', max: 3 },
  })
  // A repeated subscription does not count again.
  expect((await socket.subscribe(['kline', pair, 'k5', 'local'], 4)).result.status).toBe('ok')
  expectDocumented(document, socket, () => 'kline')
})

test('error: more messages than the plan allows, after the burst that every plan has', async () => {
  const { key } = await keys('create', '--plan', 'small', '--name', 'fast')
  const socket = await open({ key })
  for (let id = 1; id <= 600; id += 1) socket.send({ jsonrpc: '2.0', method: 'ping', id })
  // A message over the rate is not even parsed, so its id is unknown.
  const refused = await socket.find('a refusal', ({ error }) => error !== undefined)
  expect(refused).toMatchObject({ id: null, error: { data: { limit: 'messages_per_s', max: 1 } } })
  const pongs = socket.frames.filter(({ result }) => result === 'pong')
  expect(pongs.length).toBeGreaterThanOrEqual(500)
  expect(socket.isClosed()).toBe(false)
  expectDocumented(document, socket, () => '')
})

const callPath = '/v2/klines/pair/0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f-local'

const codeOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string } }).error.code

test('error: more requests per second than the plan allows', async () => {
  const { key } = await keys('create', '--plan', 'free', '--name', 'rate')
  const answers = await Promise.all(Array.from({ length: 40 }, () => service.get(callPath, key)))
  const refused = answers.filter(({ status }) => status === 429)
  const served = answers.filter(({ status }) => status === 200)
  expect(refused.length + served.length).toBe(40)
  expect(served.length).toBeGreaterThan(0)
  expect(refused.length).toBeGreaterThan(20)
  for (const answer of refused) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answer.headers.get('x-cu-cost')).toBe('0')
    expect(await codeOf(answer)).toBe('rate_limited')
  }
})

test('error: credits used up, which refused requests do not spend', async () => {
  const { key } = await keys('create', '--plan', 'normal', '--name', 'credits')
  const first = await service.get(callPath, key)
  expect([first.status, first.headers.get('x-cu-remaining')]).toEqual([200, '15'])
  const malformed = await service.get(`${callPath}?interval=7`, key)
  expect([malformed.status, malformed.headers.get('x-cu-remaining')]).toEqual([400, '15'])
  expect((await service.get(callPath, key)).headers.get('x-cu-remaining')).toBe('5')
  for (let call = 0; call < 3; call += 1) {
    const refused = await service.get(callPath, key)
    expect([refused.status, refused.headers.get('x-cu-remaining')]).toEqual([429, '5'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await codeOf(refused)).toBe('credits_exhausted')
  }
  // A client without credits can still read its usage.
  const usage = (await (await service.get('/v2/usage', key)).json()) as { credits: object }
  expect(usage.credits).toEqual({ limit: 25, used: 20, remaining: 5 })
})
