import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { DevnetProfile } from '../packages/devnet/src/profile.ts'
import type { MarketNodeMessage, MarketNodeOrder } from './marketNode.ts'

export type MarketNode = {
  rpcUrl: string
  wsUrl: string
  profile: DevnetProfile
  /** Resolves with the number of the newest block. */
  mine(blocks: number): Promise<number>
  /** Resolves with the unix time in ms at which the next request comes in. */
  nextRequest(): Promise<number>
  stop(): void
}

export async function startMarketNode(): Promise<MarketNode> {
  const child = fork(fileURLToPath(new URL('./marketNode.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  })
  child.once('exit', (code) => {
    if (child.connected) throw new Error(`The node ended with ${code}.`)
  })
  // It answers each order with one message, and gets one order at a time.
  const next = <type extends MarketNodeMessage['type']>(_type: type) =>
    new Promise<Extract<MarketNodeMessage, { type: type }>>((resolve) => {
      child.once('message', (message) =>
        resolve(message as Extract<MarketNodeMessage, { type: type }>),
      )
    })
  const order = (order: MarketNodeOrder) => child.send(order)
  const { rpcUrl, wsUrl, profile } = await next('ready')
  return {
    rpcUrl,
    wsUrl,
    profile: profile as DevnetProfile,
    async mine(blocks) {
      const mined = next('mined')
      order({ type: 'mine', blocks })
      return (await mined).number
    },
    async nextRequest() {
      const asked = next('asked')
      order({ type: 'listen' })
      return (await asked).atMs
    },
    stop: () => child.disconnect(),
  }
}
