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
  let at = blockParam(block)
  const results = await rpc.requestBatch(ethCallsAt(calls, ask, at), { signal })

  async function askAgain(places: readonly number[], control: readonly EvmCall[]) {
    const again = ethCallsAt(
      places.map((place) => calls[place]!),
      ask,
      at,
    )
    const answers = await rpc.requestBatch([...control, ...again], { signal })
    const isNodeWell = answers.splice(0, control.length).every(({ ok }) => ok)
    for (const [position, place] of places.entries()) results[place] = answers[position]!
    return isNodeWell
  }

  if (block !== 'latest' && 'hash' in block && block.number !== undefined) {
    const refused = placesOf(results, isHashRefused)
    at = refused.length > 0 ? toQuantity(block.number) : at
    if (refused.length > 0) await askAgain(refused, [])
  }
  // A failure that nobody explains is the contract's where the node answers another call beside it.
  const failed = placesOf(results, isUnexplained)
  const isContract = failed.length > 0 && (await askAgain(failed, [emptyCallAt(at)]))
  return results.map((result) =>
    isContract && isUnexplained(result) ? { ok: false } : toMulticallResult(result),
  )
}

function placesOf(
  results: readonly EvmResult[],
  isMeant: (result: EvmResult) => boolean,
): number[] {
  return [...results.keys()].filter((place) => isMeant(results[place]!))
}

/** One that every node answers: there is no code to run. */
function emptyCallAt(block: unknown): EvmCall {
  return { method: 'eth_call', params: [{ to: `0x${'0'.repeat(40)}`, data: '0x' }, block] }
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

function isUnexplained(result: EvmResult): boolean {
  return !result.ok && result.error.kind === 'failed'
}

function toMulticallResult(result: EvmResult): MulticallResult {
  if (result.ok) return { ok: true, data: typeof result.value === 'string' ? result.value : '0x' }
  if (result.error.kind === 'reverted') return { ok: false }
  throw result.error
}
