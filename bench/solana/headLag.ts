// Delay of the live source: from the moment a node has a block to its decoded events.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createSolanaBlockSource } from '../../packages/server/src/chain/solana/blockSource.ts'
import { createSolanaRpc } from '../../packages/server/src/chain/solana/solanaRpc.ts'
import { decodeSolanaBlock } from '../../packages/server/src/decode/solana/decodeSolanaBlock.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { BenchRow } from '../benchTable.ts'
import type { LagMessage, LagOrder } from './lagNode.ts'

const slotMs = 400
const warmSlots = 20
const slots = 220
const transactions = 1_500

export async function headLagRow(): Promise<BenchRow> {
  const file = fileURLToPath(new URL('./lagNode.ts', import.meta.url))
  const child = fork(file, [], { execArgv: ['--import', 'tsx'] })
  const minedMs = new Map<number, number>()
  const ready = await new Promise<Extract<LagMessage, { type: 'ready' }>>((done) => {
    child.on('message', (message: LagMessage) => {
      if (message.type === 'ready') done(message)
      if (message.type === 'mined') minedMs.set(message.slot, message.atMs)
    })
  })
  const ending = new AbortController()
  const logger = createLogger('silent')
  const rpc = createSolanaRpc({
    endpoints: [{ httpUrl: ready.url, wsUrl: ready.wsUrl }],
    timeoutMs: 20_000,
    hedgeAfterMs: 20_000,
    batchSizeMax: 10,
    logger,
  })
  const source = createSolanaBlockSource({
    chain: 'solana',
    rpc,
    startSlot: ready.slot,
    known: [],
    finalizedNumber: -1,
    reorgDepthMax: 64,
    finality: { type: 'tag' },
    commitment: 'confirmed',
    pollMs: slotMs,
    parallelBlocks: 6,
    clock: { nowMs: Date.now },
    logger,
    signal: ending.signal,
  })
  const order: LagOrder = { slots, slotMs, transactions }
  child.send(order)
  const lagsMs: number[] = []
  let seen = 0
  for await (const event of source.events()) {
    if (event.type !== 'commit') continue
    decodeSolanaBlock(event.block, { holders: { sharedOwners: new Set() } })
    const atMs = minedMs.get(event.block.ref.number)
    if (atMs === undefined) continue
    seen += 1
    if (seen > warmSlots) lagsMs.push(Date.now() - atMs)
    if (seen === slots) break
  }
  ending.abort()
  rpc.close()
  child.disconnect()
  const sorted = lagsMs.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]
  return {
    metric: `from a node that has a block of ${transactions} transactions to its events, ${sorted.length} slots of ${slotMs} ms`,
    value: `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
    goal: `p99 under ${slotMs} ms`,
  }
}
