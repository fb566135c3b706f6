import type { DevnetProfile } from '../packages/devnet/src/profile.ts'
import { startNodeProcess } from './nodeProcess.ts'

export type MarketNode = {
  rpcUrl: string
  wsUrl: string
  profile: DevnetProfile
  /** Resolves with the number of the newest block. */
  mine(blocks: number): Promise<number>
  /** Resolves with the unix time in ms at which the next request arrives. */
  nextRequest(): Promise<number>
  stop(): void
}

export async function startMarketNode(): Promise<MarketNode> {
  const { next, order, nextRequest, stop } = startNodeProcess('./marketNode.ts')
  const { rpcUrl, wsUrl, profile } = await next('ready')
  return {
    rpcUrl,
    wsUrl,
    nextRequest,
    stop,
    profile: profile as DevnetProfile,
    async mine(blocks) {
      const mined = next('mined')
      order({ type: 'mine', blocks })
      return (await mined).number
    },
  }
}
