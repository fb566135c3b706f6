import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { MarketNode } from '../startMarketNode.ts'

export type PeerChain = {
  node: MarketNode
  /** Values passed to the peer's program. */
  terms: {
    rpcUrl: string
    factoryV2: string
    factoryV3: string
    endBlock: number
    /** Kline intervals in seconds. */
    intervals: readonly number[]
  }
}

export type PeerRound = { swaps: number; klines: number; ms: number }

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
