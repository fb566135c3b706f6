// A chain of bots in a separate process, like a node: mines on request and serves RPC.
import { subscribe } from 'node:diagnostics_channel'
import { createDevnet } from '../packages/devnet/src/devnet.ts'

export type MarketNodeOrder =
  | { type: 'mine'; blocks: number }
  | { type: 'listen' }
  /** Sent to a paced node only. */
  | { type: 'time' }
export type MarketNodeMessage =
  | { type: 'ready'; rpcUrl: string; wsUrl: string; profile: unknown }
  | { type: 'mined'; number: number }
  | { type: 'timed' }
  /** The first request arrived since the `listen` order. */
  | { type: 'asked'; atMs: number }

// Starts in the past, so that mining faster than a block a second does not run ahead of the clock.
const nowS = Math.floor(Date.now() / 1_000) - 100_000
const devnet = await createDevnet({ seed: 'bench', nowS: () => nowS })
const tell = (message: MarketNodeMessage) => process.send?.(message)
let isListening = false

subscribe('http.server.request.start', () => {
  if (isListening) tell({ type: 'asked', atMs: Date.now() })
  isListening = false
})

process.on('message', async (order: MarketNodeOrder) => {
  if (order.type === 'listen') isListening = true
  if (order.type !== 'mine') return
  for (let block = 0; block < order.blocks; block += 1) {
    await devnet.mineMarket()
    await new Promise(setImmediate)
  }
  const head = (await devnet.request('eth_blockNumber', [])) as string
  tell({ type: 'mined', number: Number(head) })
})
process.on('disconnect', () => process.exit(0))
tell({ type: 'ready', rpcUrl: devnet.rpcUrl, wsUrl: devnet.wsUrl, profile: devnet.profile })
