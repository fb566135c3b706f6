// The node of a busy chain in a separate process, and a config file for a service that follows it.
import { fork } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testApiKey } from '../../test/support/program.ts'
import { dollar, factory, weth } from './busyChain.ts'
import type { TipMessage, TipOrder, TipRequest } from './tipNode.ts'

export const poolCount = 500

export type Mined = Extract<TipMessage, { type: 'mined' }>
export type TipNode = {
  httpUrl: string
  wsUrl: string
  /** Creates blocks in advance, which `mine` then publishes. */
  prepare(count: number, order: TipOrder): Promise<void>
  mine(): Promise<Mined>
  stop(): void
}

export async function startTipNode(): Promise<TipNode> {
  const file = fileURLToPath(new URL('./tipNode.ts', import.meta.url))
  const child = fork(file, [String(poolCount)], { execArgv: ['--import', 'tsx'] })
  const next = () => new Promise<TipMessage>((done) => child.once('message', done))
  const ask = (request: TipRequest) => {
    const answer = next()
    child.send(request)
    return answer
  }
  const ready = (await next()) as Extract<TipMessage, { type: 'ready' }>
  return {
    ...ready,
    async prepare(count, order) {
      await ask({ type: 'prepare', count, order })
    },
    mine: async () => (await ask({ type: 'mine' })) as Mined,
    stop: () => child.disconnect(),
  }
}

/** `settings`: additional to the chain's. */
export async function writeBusyConfig(
  dataDir: string,
  { httpUrl, wsUrl }: TipNode,
  settings: object = {},
): Promise<string> {
  const file = join(dataDir, 'config.json')
  const chain = {
    rpc: [{ http_url: httpUrl, ws_url: wsUrl, requests_per_second_max: 100_000 }],
    start_block: 0,
    finality: 64,
    native_pool_usd_min: 1,
    stables: [dollar],
    native: { symbol: 'ETH', wrapped_token: weth },
    factories: [{ address: factory, venue: 'uniswapV2', amm: 'uniswapv2', fee_ppm: 3_000 }],
    // Made-up blocks have no valid hashes.
    node_checks: { header_hash: false, receipts_root: false },
    audit_rate_percent: 0,
  }
  const config = {
    api_key: testApiKey,
    log: { level: 'warn' },
    ...settings,
    // There are no contracts to check.
    testing: { risk_checks_per_min_max: 0 },
    chains: { busy: chain },
  }
  await writeFile(file, JSON.stringify(config))
  return file
}
