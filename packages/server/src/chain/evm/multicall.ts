import { decodeAggregate, encodeAggregate } from './aggregate3.ts'
import type { EvmCall, EvmResult, EvmRpc } from './evmRpc.ts'
import { toQuantity } from './rawBlock.ts'

export type MulticallCall = { to: string; data: string }
/** A hash is asked by EIP-1898; the number beside it is used where a node does not know that. */
export type MulticallBlock =
  | { hash: string; number?: number | undefined }
  | { number: number }
  | 'latest'
export type MulticallOptions = {
  /** So that one contract cannot eat the gas of all others. Unlimited when absent. */
  gasPerCallMax?: number | undefined
  /** Calls in one eth_call. @default 250 */
  chunk?: number | undefined
  signal?: AbortSignal | undefined
}
/** `ok: false`: the call reverted. Hex with 0x; a contract that is not there answers `0x`. */
export type MulticallResult = { ok: true; data: string } | { ok: false }

export type Multicall = {
  /** Results in call order. Throws an RpcError when no node answered. */
  call(
    calls: readonly MulticallCall[],
    block: MulticallBlock,
    options?: MulticallOptions,
  ): Promise<MulticallResult[]>
}

export type CreateMulticallOptions = {
  rpc: EvmRpc
  /** Of Multicall3 on this chain. */
  address: string
}

// 250 balance reads are about 8 million gas and 70 kB of call data: under every node's limits seen so far.
const chunkDefault = 250
// Multicall3's own work per call, with room.
const gasOverheadPerCall = 20_000

type Ask = {
  block: MulticallBlock
  gasPerCallMax: number | undefined
  signal: AbortSignal | undefined
}

export function createMulticall({ rpc, address }: CreateMulticallOptions): Multicall {
  /** Null: the contract is not there at this block, or the chunk is more than the node bears. */
  async function aggregate(calls: readonly MulticallCall[], ask: Ask) {
    const data = encodeAggregate(calls)
    const perCall = ask.gasPerCallMax
    const gas = perCall && (perCall + gasOverheadPerCall) * calls.length
    const [result] = await ethCalls(rpc, [{ to: address, data }], { ...ask, gasPerCallMax: gas })
    if (!result!.ok || result!.data === '0x') return null
    // Null, too, where something else than Multicall3 is at this address.
    return decodeAggregate(result!.data, calls.length)
  }

  async function callChunk(calls: readonly MulticallCall[], ask: Ask): Promise<MulticallResult[]> {
    if (calls.length === 1) return ethCalls(rpc, calls, ask)
    const results = await aggregate(calls, ask)
    if (results === null) return ethCalls(rpc, calls, ask)
    // One call may have burnt the gas of those after it: failures are believed only when alone.
    const failed = [...results.keys()].filter((at) => !results[at]!.ok)
    if (failed.length === 0) return results
    const alone = await ethCalls(
      rpc,
      failed.map((at) => calls[at]!),
      ask,
    )
    for (const [position, at] of failed.entries()) results[at] = alone[position]!
    return results
  }

  return {
    async call(calls, block, options = {}) {
      const { chunk = chunkDefault, gasPerCallMax, signal } = options
      const ask = { block, gasPerCallMax, signal }
      const chunks: Promise<MulticallResult[]>[] = []
      for (let at = 0; at < calls.length; at += chunk)
        chunks.push(callChunk(calls.slice(at, at + chunk), ask))
      return (await Promise.all(chunks)).flat()
    },
  }
}

async function ethCalls(
  rpc: EvmRpc,
  calls: readonly MulticallCall[],
  ask: Ask,
): Promise<MulticallResult[]> {
  const { block, signal } = ask
  const results = await rpc.requestBatch(ethCallsAt(calls, ask, blockParam(block)), { signal })
  const refused =
    block !== 'latest' && 'hash' in block && block.number !== undefined
      ? [...results.keys()].filter((at) => isHashRefused(results[at]!))
      : []
  if (refused.length > 0) {
    const numbered = blockParam({ number: (block as { number: number }).number })
    const calledAgain = refused.map((at) => calls[at]!)
    const again = await rpc.requestBatch(ethCallsAt(calledAgain, ask, numbered), { signal })
    for (const [position, at] of refused.entries()) results[at] = again[position]!
  }
  return results.map(toMulticallResult)
}

function ethCallsAt(calls: readonly MulticallCall[], ask: Ask, block: unknown): EvmCall[] {
  const gas = ask.gasPerCallMax === undefined ? {} : { gas: toQuantity(ask.gasPerCallMax) }
  return calls.map(({ to, data }) => ({
    method: 'eth_call',
    params: [{ to, data, ...gas }, block],
  }))
}

function blockParam(block: MulticallBlock): unknown {
  if (block === 'latest') return 'latest'
  return 'hash' in block ? { blockHash: block.hash } : toQuantity(block.number)
}

/** A node that does not know EIP-1898 finds the parameters wrong. */
function isHashRefused(result: EvmResult): boolean {
  return !result.ok && (result.error.kind === 'refused' || result.error.kind === 'failed')
}

function toMulticallResult(result: EvmResult): MulticallResult {
  if (result.ok) return { ok: true, data: typeof result.value === 'string' ? result.value : '0x' }
  if (result.error.kind === 'reverted') return { ok: false }
  throw result.error
}
