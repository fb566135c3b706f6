import { rm } from 'node:fs/promises'
import { createPublicClient, http } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startPatientProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

let dataDir = ''
let program: (Program & Awaited<ReturnType<typeof startPatientProgram>>) | undefined

beforeEach(async () => {
  dataDir = await createDataDir()
})

afterEach(async () => {
  program?.child.kill('SIGKILL')
  await program?.ended
  await rm(dataDir, { recursive: true, force: true })
})

async function get<body>(path: string): Promise<body> {
  const { address, api_key } = program!.ready
  const response = await fetch(`${address}${path}`, { headers: { 'X-API-KEY': api_key } })
  expect(response.status).toBe(200)
  return (await response.json()) as body
}

type MainToken = { symbol: string; current_price_usd: string; holders: number }
type PairDetail = Record<string, string | number>

async function stop(): Promise<void> {
  program!.child.kill('SIGINT')
  // As a shell counts a program that ended by Ctrl-C, or a plain success.
  expect(await program!.ended).toBe(0)
}

test('default: a living market from one command, and a second start goes on with it', async () => {
  program = await startPatientProgram(dataDir)
  const main = await get<MainToken[]>('/v2/tokens/main?chain=local')
  const weth = main.find(({ symbol }) => symbol === 'WETH')!
  expect(Number(weth.current_price_usd)).toBeGreaterThan(100)
  expect(weth.holders).toBeGreaterThan(5)

  const price = async () =>
    (await get<MainToken[]>('/v2/tokens/main?chain=local')).find(({ symbol }) => symbol === 'WETH')!
      .current_price_usd
  await until('the price moves', async () => (await price()) !== weth.current_price_usd)

  const pairPath = `/v2/pairs/${program.ready.example_pair_id}`
  const before = await get<PairDetail>(pairPath)
  expect(before.tx_24h_count).toBeGreaterThan(100)
  const client = createPublicClient({ transport: http(program.ready.devnet_rpc_url) })
  const headBefore = await client.getBlock({ blockTag: 'latest' })
  await stop()

  program = await startPatientProgram(dataDir)
  const after = await get<PairDetail>(pairPath)
  for (const field of ['pair', 'created_at', 'first_trade_at', 'first_trade_block_number'])
    expect(after[field]).toBe(before[field])
  expect(Number(after.tx_24h_count)).toBeGreaterThanOrEqual(Number(before.tx_24h_count))
  const again = createPublicClient({ transport: http(program.ready.devnet_rpc_url) })
  const sameBlock = await again.getBlock({ blockNumber: headBefore.number })
  expect(sameBlock.hash).toBe(headBefore.hash)
  await stop()
})
