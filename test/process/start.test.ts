import { join } from 'node:path'
import { createPublicClient, http } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findPostmaster } from '../../packages/server/src/store/postgres/postmaster.ts'
import { createDataDir, removeDataDir, withClient } from '../support/postgres.ts'
import {
  type Program,
  type ReadyLine,
  runNpmStart,
  startPatientProgram,
  writePatientConfig,
} from '../support/program.ts'
import { privateConnectionOf } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

/** Market time that is mined at a start, and the time that contract deployment takes before it. */
const historyS = 1_800
const setupS = 60

let dataDir = ''
let program: (Program & { ready: ReadyLine }) | undefined
/** Process group, to end the program and its children together. */
let groupId: number | undefined

beforeEach(async () => {
  dataDir = await createDataDir()
})

afterEach(async () => {
  if (groupId !== undefined && isGroup(groupId)) process.kill(-groupId, 'SIGKILL')
  program?.child.kill('SIGKILL')
  await program?.ended
  await removeDataDir(dataDir)
})

/** Whether the process group has a process. */
function isGroup(id: number): boolean {
  try {
    return process.kill(-id, 0)
  } catch {
    return false
  }
}

async function npmStart(): Promise<Program & { ready: ReadyLine }> {
  const config = await writePatientConfig(dataDir)
  const ports = ['--port', '0', '--devnet-port', '0']
  const args = ['--json', '--data-dir', dataDir, ...ports, '--config', config]
  const started = runNpmStart(args)
  groupId = started.child.pid!
  // Matches after npm's own output. On a busy machine the program may still be catching up when it
  // prints its address.
  const [line] = await started.untilOutput(/^\{"ready":(true|false).*\}$/m)
  return { ...started, ready: JSON.parse(line) as ReadyLine }
}

/**
 * Signals the whole group like a terminal: npm, its shell and the program receive the signal at
 * once.
 */
async function pressCtrlC(): Promise<void> {
  const { devnet_rpc_url } = program!.ready
  process.kill(-groupId!, 'SIGINT')
  // npm's exit depends on its shell: some end normally with the program, some by the signal.
  expect([0, 'SIGINT', 130]).toContain(await program!.ended)
  await until('no process of the group is left', () => !isGroup(groupId!))
  expect(await findPostmaster(join(dataDir, 'postgres'))).toBe(null)
  await expect(fetch(devnet_rpc_url)).rejects.toThrow()
}

async function read(path: string, key = program!.ready.api_key): Promise<string> {
  const { address } = program!.ready
  const response = await fetch(`${address}${path}`, { headers: { 'X-API-KEY': key } })
  expect(response.status).toBe(200)
  return await response.text()
}

const get = async <body>(path: string) => JSON.parse(await read(path)) as body

type MainToken = { symbol: string; current_price_usd: string; holders: number }
type PairDetail = Record<string, string | number>

function readBlock(block: { blockTag: 'latest' } | { blockNumber: bigint }) {
  const transport = http(program!.ready.devnet_rpc_url)
  return createPublicClient({ transport }).getBlock(block)
}

test('default: one command starts a live market; a second start creates a new one and keeps keys', async () => {
  program = await npmStart()
  const main = await get<MainToken[]>('/v2/tokens/main?chain=local')
  const weth = main.find(({ symbol }) => symbol === 'WETH')!
  expect(Number(weth.current_price_usd)).toBeGreaterThan(100)
  expect(weth.holders).toBeGreaterThan(5)

  const price = async () =>
    (await get<MainToken[]>('/v2/tokens/main?chain=local')).find(({ symbol }) => symbol === 'WETH')!
      .current_price_usd
  await until('the price moves', async () => (await price()) !== weth.current_price_usd)

  const { api_key: keyBefore, example_pair_id: pairId } = program.ready
  const pairPath = `/v2/pairs/${pairId}`
  let before: PairDetail = {}
  await until('a hundred trades are counted', async () => {
    before = await get<PairDetail>(pairPath)
    return Number(before.tx_24h_count) > 100
  })
  // A slow machine is ready before the whole history is mined.
  const genesis = await readBlock({ blockNumber: 0n })
  let headBefore = await readBlock({ blockTag: 'latest' })
  await until('half an hour is mined', async () => {
    headBefore = await readBlock({ blockTag: 'latest' })
    return headBefore.timestamp - genesis.timestamp >= setupS + historyS
  })
  // One kline for each past minute, back to the start of the market half an hour before the
  // program's start.
  const headS = Number(headBefore.timestamp)
  const endedS = headS - (headS % 60) - 1
  const isApplied = async () =>
    (await get<{ chains: { local: { head_block: number } } }>('/health/ready')).chains.local
      .head_block >= Number(headBefore.number)
  await until('that block is applied', isApplied)
  const { points } = await get<{ points: { time: number }[] }>(
    `/v2/klines/pair/${pairId}?interval=1&to_time=${endedS}`,
  )
  expect(headS - points[0]!.time).toBeGreaterThanOrEqual(historyS)
  // Some minutes have no trade of this pair.
  expect(points.length).toBeGreaterThanOrEqual(25)
  await pressCtrlC()

  program = await startPatientProgram(dataDir)
  // A new chain with the same contracts at the same addresses.
  expect(program.ready.example_pair_id).toBe(pairId)
  const after = await get<PairDetail>(pairPath)
  expect(after.pair).toBe(before.pair)
  expect(Number(after.created_at)).toBeGreaterThan(Number(before.created_at))
  expect((await readBlock({ blockNumber: 0n })).hash).not.toBe(genesis.hash)
  const connection = await privateConnectionOf(dataDir)
  await until('the first market is gone from the store', () =>
    withClient(connection, async (client) => {
      const { rows } = await client.query('SELECT name FROM chains')
      return rows.length === 1
    }),
  )
  // The key of the first start still works.
  await read(pairPath, keyBefore)
  expect(program.ready.earlier_keys_until).toBeGreaterThan(headS)

  program.child.kill('SIGINT')
  expect(await program.ended).toBe(0)
})
