// The custom chain config of docs/start/first-chain.md, taken from its text: it finds pools and
// prices them without further settings.
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { testApiKey } from '../support/program.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

// The seed of `npm start`, so that contracts have the addresses that the page names.
const seedOfStart = '1'
let node: DevNode
let dataDir: string

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: seedOfStart })
  for (let block = 0; block < 60; block += 1) await node.mineMarket()
  dataDir = await createDataDir()
})

afterAll(async () => {
  await node.stop()
  await removeDataDir(dataDir)
})

/** The YAML block of the page. */
async function configOfPage(): Promise<string> {
  const page = resolve(import.meta.dirname, '../../docs/start/first-chain.md')
  const [, text] = /^```yaml config\n([\s\S]*?)^```$/m.exec(await readFile(page, 'utf8')) ?? []
  return text!
}

type Row = { token: string; symbol: string; current_price_usd: string; main_pair: string }

test('default: tokens of the configured chain have prices', async () => {
  const shown = await configOfPage()
  const factories = node.profile.venues.map(({ address }) => address)
  for (const [, address] of shown.matchAll(/address: (0x[0-9a-f]{40})/g))
    expect(factories).toContain(address)
  const { wrappedToken } = node.profile.native
  const config = join(dataDir, 'chaintape.yaml')
  const own = shown.replace('http://127.0.0.1:8545', node.rpcUrl)
  expect(own).not.toBe(shown)
  await writeFile(config, `${own}api_key: ${testApiKey}\n`)
  const service = await startService(dataDir, config)
  try {
    const head = await node.readHead()
    await until('it is at the head', async () => {
      const { head_block } = await service.chainHealth()
      return head_block === head.number
    })
    const ask = async (path: string) => (await service.get(path)).json()
    const main = (await ask('/v2/tokens/main?chain=mychain')) as Row[]
    const native = main.find(({ token }) => token === wrappedToken)!
    expect(Number(native.current_price_usd)).toBeGreaterThan(1)
    const { tokens } = (await ask('/v2/screener?chain=mychain&sort=liquidity&min_liquidity=1')) as {
      tokens: Row[]
    }
    expect(tokens.length).toBeGreaterThan(3)
    for (const { current_price_usd } of tokens) expect(current_price_usd).not.toBe('0')
    const { points } = (await ask(`/v2/klines/pair/${native.main_pair}-mychain?interval=1440`)) as {
      points: unknown[]
    }
    expect(points.length).toBeGreaterThan(0)
  } finally {
    expect(await service.stop()).toBe(0)
  }
})
