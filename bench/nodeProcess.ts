import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { MarketNodeMessage, MarketNodeOrder } from './marketNode.ts'

export type NodeProcess = {
  /** The next message of this type, which answers the last order. */
  next<type extends MarketNodeMessage['type']>(
    type: type,
  ): Promise<Extract<MarketNodeMessage, { type: type }>>
  order(order: MarketNodeOrder): void
  /** Resolves with the unix time in ms at which the next request arrives. */
  nextRequest(): Promise<number>
  stop(): void
}

/**
 * A process that serves a chain's RPC. It receives one order at a time and answers each with one
 * message.
 */
export function startNodeProcess(script: string, args: readonly string[] = []): NodeProcess {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = fork(path, args, { execArgv: ['--import', 'tsx'] })
  child.once('exit', (code) => {
    if (child.connected) throw new Error(`The node ended with ${code}.`)
  })
  const next: NodeProcess['next'] = (type) =>
    new Promise((resolve, reject) => {
      child.once('message', (message: MarketNodeMessage) => {
        if (message.type === type)
          resolve(message as Extract<MarketNodeMessage, { type: typeof type }>)
        else reject(new Error(`The node answered ${message.type} instead of ${type}.`))
      })
    })
  const order = (order: MarketNodeOrder) => void child.send(order)
  return {
    next,
    order,
    async nextRequest() {
      const asked = next('asked')
      order({ type: 'listen' })
      return (await asked).atMs
    },
    stop: () => child.disconnect(),
  }
}
