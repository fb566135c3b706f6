import type { EvmCall } from '../evmRpc.ts'

/** What one node has shown it cannot do. Forgotten after a while: nodes are upgraded, and plans paid for. */
export type Capabilities = {
  lacks(method: string, nowMs: number): boolean
  lose(method: string, nowMs: number): void
  lost(nowMs: number): string[]
  batchSizeMax(): number
  shrinkBatch(refusedSize: number): void
  limitLogRange(blocksMax: number, nowMs: number): void
  /** Blocks that would be answered, when the node is known to refuse this call for its range; else null. */
  logRangeRefusal(call: EvmCall, nowMs: number): number | null
}

const forgetAfterMs = 600_000
// From this size down a node that refuses a batch refuses batches.
const batchSizeSmallest = 4

export function createCapabilities(): Capabilities {
  const lostUntilMs = new Map<string, number>()
  let batchSizeMax = Number.POSITIVE_INFINITY
  let logRange = { blocksMax: Number.POSITIVE_INFINITY, untilMs: 0 }

  const lacks = (method: string, nowMs: number) => (lostUntilMs.get(method) ?? 0) > nowMs

  return {
    lacks,
    lose(method, nowMs) {
      lostUntilMs.set(method, nowMs + forgetAfterMs)
    },
    lost: (nowMs) => [...lostUntilMs.keys()].filter((method) => lacks(method, nowMs)),
    batchSizeMax: () => batchSizeMax,
    shrinkBatch(refusedSize) {
      const smaller = refusedSize > batchSizeSmallest ? Math.ceil(refusedSize / 2) : 1
      batchSizeMax = Math.min(batchSizeMax, smaller)
    },
    limitLogRange(blocksMax, nowMs) {
      logRange = { blocksMax, untilMs: nowMs + forgetAfterMs }
    },
    logRangeRefusal(call, nowMs) {
      if (call.method !== 'eth_getLogs' || logRange.untilMs <= nowMs) return null
      const { fromBlock, toBlock } = call.params[0] as { fromBlock?: string; toBlock?: string }
      const blocks = Number(toBlock) - Number(fromBlock) + 1
      return blocks > logRange.blocksMax ? logRange.blocksMax : null
    },
  }
}
