// The source of EVM blocks over nodes in memory.
import { expect, onTestFinished } from 'vitest'
import type { RpcCall } from '../../packages/server/src/chain/rpc/rpcCall.ts'
import { openReader, type ReaderOptions } from './chainReader.ts'
import { blockOf, type EvmNode, endpointsOf, faultsIn, httpOf, wantedTopic } from './evmNodes.ts'

export const topics0 = [wantedTopic]

/** Reads these nodes, of which the first is the endpoint 0, until the test is over. */
export function readNodes(nodes: readonly EvmNode[], options: Partial<ReaderOptions> = {}) {
  const reader = openReader({
    endpoints: endpointsOf(nodes),
    ...options,
    rpc: { createHttp: httpOf(nodes), retryDelayMs: 1, hedgeAfterMs: 60_000, ...options.rpc },
    source: { topics0, pollMs: 1, retryMs: 1, reorgDepthMax: 16, ...options.source },
  })
  onTestFinished(() => reader.close())
  return {
    ...reader,
    faults: () => faultsIn(reader.metrics),
    /** Reads until the head of this node is the tip, and compares everything with its chain. */
    async untilAsOn(node: EvmNode) {
      await reader.until(() => reader.blocks.at(-1)?.ref.hash === node.head.raw.hash)
      const [first] = reader.blocks
      const expected = node.blocks.slice(first!.ref.number).map((one) => blockOf(one, topics0))
      expect(reader.blocks).toEqual(expected)
    },
  }
}

export const isRange = ({ method, params: [filter] }: RpcCall) =>
  method === 'eth_getLogs' && (filter as { fromBlock?: string }).fromBlock !== undefined
