// A Solana-compatible node in a separate process: a slot of 1,500 transactions at the chain's pace,
// announced as nodes do.
import { GeneratedChain } from '../../packages/devnet/src/solana/generatedChain.ts'
import type { WrittenTransaction } from '../../packages/devnet/src/solana/rpcShapes.ts'
import { startSolanaRpc } from '../../packages/devnet/src/solana/solanaRpcServer.ts'

export type LagOrder = { slots: number; slotMs: number; transactions: number }
export type LagMessage =
  | { type: 'ready'; url: string; wsUrl: string; slot: number }
  /** Time at which the node had the block, on the clock shared by all processes. */
  | { type: 'mined'; slot: number; atMs: number }
  | { type: 'ended' }

const send = (message: LagMessage) => process.send!(message)
const chain = new GeneratedChain({ seed: 5, startTimeS: 1_790_000_000, transactions: 40 })
chain.mine(30)
const node = await startSolanaRpc(() => chain)

/** Transactions without trades that fill a block up to its size, repeated. */
function fillersOf(count: number): WrittenTransaction[] {
  const others = chain.blocks
    .flatMap(({ transactions }) => transactions)
    .filter(({ meta }) => meta.postTokenBalances.length === 0)
  return Array.from({ length: count }, (_, at) => others[at % others.length]!)
}

process.on('message', ({ slots, slotMs, transactions }: LagOrder) => {
  const fillers = fillersOf(transactions)
  let left = slots
  const timer = setInterval(() => {
    chain.mine()
    const { head } = chain
    head.transactions = [...head.transactions, ...fillers].slice(0, transactions)
    send({ type: 'mined', slot: head.slot, atMs: Date.now() })
    node.announce()
    left -= 1
    if (left > 0) return
    clearInterval(timer)
    send({ type: 'ended' })
  }, slotMs)
})
process.on('disconnect', () => process.exit(0))
send({ type: 'ready', url: node.url, wsUrl: node.wsUrl, slot: chain.head.slot })
