// The local chain at its block limit: a fresh chain replaces it in the running program. Also a
// chain process that crashes.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { childrenOf } from '../support/childrenOf.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { startPatientProgram } from '../support/program.ts'
import { openProgramSocket } from '../support/programSocket.ts'
import { until } from '../support/until.ts'

// More blocks than are mined until the test has looked at the chain; the test mines the rest
// itself.
const blocksMax = 400
const historyS = 20
// pino's number for warnings.
const warnLevel = 40
const removalPutOff = 'Failed to delete a local chain from the store'

let dataDir = ''
let program: Awaited<ReturnType<typeof startPatientProgram>> | undefined

beforeEach(async () => {
  dataDir = await createDataDir()
})

afterEach(async () => {
  program?.child.kill('SIGKILL')
  await program?.ended
  await removeDataDir(dataDir)
})

async function start(changes: object = {}): Promise<NonNullable<typeof program>> {
  const devnet = { blocks_max: blocksMax, history_s: historyS, ...changes }
  return await startPatientProgram(dataDir, { devnet })
}

type Ready = {
  ready: boolean
  reasons: string[]
  chains: { local: { ready: boolean; state: string; head_block: number | null } }
}

async function ask(method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(program!.ready.devnet_rpc_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: unknown }).result
}

/** Mines up to the limit, which counts blocks mined by the bots as well as by the test. */
async function mineToTheLimit(): Promise<void> {
  const one = { jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }
  await fetch(program!.ready.devnet_rpc_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(Array.from({ length: blocksMax }, () => one)),
  }).catch(() => {
    // The node may end before it answers.
  })
}

type Block = { hash: string; number: string; timestamp: string }
const blockAt = (tag: string) => ask('eth_getBlockByNumber', [tag, false]) as Promise<Block | null>

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const { address, api_key } = program!.ready
  const response = await fetch(`${address}${path}`, { headers: { 'X-API-KEY': api_key } })
  return { status: response.status, body: await response.json() }
}

const health = async () => (await get('/health/ready')).body as Ready

async function wethPrice(): Promise<{ token: string; usd: number }> {
  const { body } = await get('/v2/tokens/main?chain=local')
  type Row = { symbol: string; token: string; current_price_usd: string }
  const { token, current_price_usd } = (body as Row[]).find(({ symbol }) => symbol === 'WETH')!
  return { token, usd: Number(current_price_usd) }
}

const saved = async () =>
  JSON.parse(await readFile(join(dataDir, 'devnet', 'served.json'), 'utf8')) as {
    storeName: string
    retired: string[]
  }

async function stop(): Promise<void> {
  program!.child.kill('SIGINT')
  expect(await program!.ended).toBe(0)
}

// Warnings for work that is retried after a node ended in the middle of a request, or while another
// session locks a table.
const expectedWarnings = new Set([
  'Restarting the local chain',
  'Chain step failed',
  'Left holders incomplete',
  'Failed to store blocks',
  'Put off store maintenance',
  removalPutOff,
])

/** Log lines above warning level, and warnings that a rollover does not cause. */
function troubles(stderr: string): string[] {
  // The last line may be incomplete.
  const lines = stderr.split('\n').slice(0, -1)
  return lines.filter((line) => {
    if (!line.startsWith('{')) return true
    const { level, msg } = JSON.parse(line) as { level: number; msg: string }
    return level > warnLevel || (level === warnLevel && !expectedWarnings.has(msg))
  })
}

const isRemoved = async () => (await saved()).retired.length === 0

test('behavior: a fresh chain replaces one at its limit, for callers and subscribers', async () => {
  program = await start()
  const { api_key: key, address, devnet_rpc_url } = program.ready
  const genesis = await blockAt('0x0')
  const before = { ...(await saved()), price: await wethPrice() }
  const socket = await openProgramSocket(address, { key })
  const params = ['price', [`${before.price.token}-local`], { heartbeat: 1 }]
  await socket.subscribe(params, 7)
  await until('a price is pushed', () => socket.pushes(7).length > 1)

  await mineToTheLimit()
  const statuses = new Set<number>()
  const states = new Set<string>()
  await until('the next chain is live', async () => {
    statuses.add((await get('/v2/tokens/main?chain=local')).status)
    const { ready, chains } = await health()
    expect(ready).toBe(true)
    states.add(`${chains.local.state} ${chains.local.ready}`)
    const { head_block, state } = chains.local
    const { storeName } = await saved()
    return storeName !== before.storeName && head_block! < blocksMax && state === 'live'
  })
  // Callers are served throughout: the old market until the new chain has its first block.
  expect([...statuses]).toEqual([200])
  expect([...states].toSorted()).toEqual(['lagging false', 'live true'])

  // The RPC URL is the same, with another chain behind it.
  expect(program.ready.devnet_rpc_url).toBe(devnet_rpc_url)
  const nextGenesis = await blockAt('0x0')
  expect(nextGenesis!.hash).not.toBe(genesis!.hash)

  // Prices are those of the new chain: the same token at the same address, and its price moves.
  await until('there are prices', async () => {
    const { status, body } = await get('/v2/tokens/main?chain=local')
    return status === 200 && (body as unknown[]).length > 0
  })
  const price = await wethPrice()
  expect(price.token).toBe(before.price.token)
  await until('the price moves', async () => (await wethPrice()).usd !== price.usd)

  // The subscription continues: its pushes have blocks of the new chain.
  expect(socket.isClosed()).toBe(false)
  const isOfNewChain = async (cursor: string) => {
    const [number, hash8] = cursor.split('-')
    const block = await blockAt(`0x${Number(number).toString(16)}`)
    return block?.hash.slice(2, 10) === hash8
  }
  await until('a price of the new chain is pushed', async () => {
    const last = socket.pushes(7).findLast(({ result }) => result.topic === 'price')
    return typeof last?.cursor === 'string' && (await isOfNewChain(last.cursor))
  })

  const isPutOff = () => program!.stderr().includes(removalPutOff)
  await until('the old chain is removed or left to the next start', async () => {
    return isPutOff() || (await isRemoved())
  })
  expect(troubles(program.stderr())).toEqual([])
  await socket.close()
  await stop()

  program = await start()
  await until('every old chain is gone from the store', isRemoved)
  expect(troubles(program.stderr())).toEqual([])
  await stop()
})

test('behavior: a chain whose final blocks were reverted is stored again', async () => {
  program = await start()
  const { storeName } = await saved()
  const snapshot = await ask('evm_snapshot')
  // Blocks of the local chain are final after 32 blocks.
  for (let left = 40; left > 0; left -= 1) await ask('evm_mine')
  const gone = await blockAt('latest')
  const isAt = async ({ number }: Block) =>
    ((await health()).chains.local.head_block ?? -1) >= Number(number)
  await until('they are read', () => isAt(gone!))
  expect(await ask('evm_revert', [snapshot])).toBe(true)
  // Another time makes the new blocks differ: empty blocks with equal times would be identical to
  // the reverted ones.
  const { timestamp } = (await blockAt('latest'))!
  await ask('evm_mine', [Number(timestamp) + 60])
  for (let left = 45; left > 0; left -= 1) await ask('evm_mine')
  expect((await blockAt(gone!.number))!.hash).not.toBe(gone!.hash)
  const head = await blockAt('latest')
  await until('it is stored again', async () => (await saved()).storeName === `${storeName}.1`)
  await until('the old one is gone', async () => (await saved()).retired.length === 0)
  await until('it has been read again', () => isAt(head!))
  expect(await wethPrice()).toMatchObject({ usd: expect.any(Number) })
  await stop()
})

test('behavior: stopped while the next chain is created, it ends cleanly and starts again', async () => {
  program = await start()
  const genesis = await blockAt('0x0')
  await mineToTheLimit()
  await until('the chain is gone', () =>
    blockAt('0x0').then(
      () => false,
      () => true,
    ),
  )
  await stop()
  program = await start()
  expect((await blockAt('0x0'))!.hash).not.toBe(genesis!.hash)
  await until('the old chain is gone from the store', isRemoved)
  await stop()
})

/** Kills the process behind the RPC. */
async function killChain(): Promise<void> {
  const pids = await childrenOf(program!.child.pid!)
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')))
  process.kill(pids.find((_, i) => commands[i]!.includes('devnet'))!, 'SIGKILL')
}

test('error: a crashed chain is replaced, and given up after too many crashes', async () => {
  program = await start({ restarts_max: 1 })
  const genesis = await blockAt('0x0')
  await killChain()
  await until('another chain is there', () =>
    blockAt('0x0').then(
      (block) => block !== null && block.hash !== genesis!.hash,
      () => false,
    ),
  )
  await until('it is being read', async () => (await health()).chains.local.state === 'live')
  await killChain()
  expect(await program.ended).toBe(1)
  expect(JSON.parse(program.stderr().trimEnd().split('\n').at(-1)!)).toEqual({
    error: {
      code: 'DEVNET_UNSTABLE',
      message: 'The local chain keeps failing.',
      meta: [
        'Restarts: 1 within 3600 s (devnet.restarts_max, devnet.restarts_period_s)',
        expect.any(String),
      ],
      retryable: false,
    },
  })
})
