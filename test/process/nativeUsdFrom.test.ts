// A chain without a stablecoin takes the price of its native coin from another chain.
import { readFile, rm, writeFile } from 'node:fs/promises'
import type { ReadyBody } from '@chaintape/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir } from '../support/postgres.ts'
import { startProgram, testApiKey, writeChainConfig } from '../support/program.ts'
import { until } from '../support/until.ts'

let dataDir = ''
let node: DevNode | undefined
let program: Awaited<ReturnType<typeof startProgram>> | undefined

beforeEach(async () => {
  dataDir = await createDataDir()
  node = await startDevNode({ market: true })
})

afterEach(async () => {
  program?.child.kill('SIGTERM')
  await program?.ended
  await node?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** The node's chain configured twice: with its stablecoins, and without any. */
async function writeConfig(): Promise<string> {
  const file = await writeChainConfig(dataDir, node!)
  const config = JSON.parse(await readFile(file, 'utf8'))
  const { wrapped_token } = config.chains.local.native
  config.chains.plain = {
    ...config.chains.local,
    stables: [],
    quotes: [wrapped_token],
    native_usd_from: 'local',
  }
  await writeFile(file, JSON.stringify(config))
  return file
}

/** Price of a token that trades against the native coin only. */
async function priceOn(chain: string): Promise<number> {
  const { address } = node!.deployment.tokens.find(({ symbol }) => symbol === 'NINE')!
  const headers = { 'X-API-KEY': testApiKey }
  const url = `${program!.ready.address}/v2/tokens/${address}-${chain}`
  const response = await fetch(url, { headers })
  if (response.status !== 200) return 0
  type Body = { data: { token: { current_price_usd: string } } }
  return Number(((await response.json()) as Body).data.token.current_price_usd)
}

test('default: prices in USD on a chain without a stablecoin', async () => {
  program = await startProgram(dataDir, ['--config', await writeConfig()])
  await until('the source has prices', async () => (await priceOn('local')) > 0)
  // The price applies to later blocks only.
  await until('the other chain has the blocks', async () => {
    await node!.mineMarket()
    return (await priceOn('plain')) > 0
  })
  const { number } = await node!.readHead()
  await until('both are at the head', async () => {
    const response = await fetch(`${program!.ready.address}/health/ready`)
    const { chains } = (await response.json()) as ReadyBody
    return Object.values(chains).every(({ head_block }) => head_block === number)
  })
  // Both chains have the same pool; their native price differs by a few blocks at most.
  expect((await priceOn('plain')) / (await priceOn('local'))).toBeCloseTo(1, 1)
})
