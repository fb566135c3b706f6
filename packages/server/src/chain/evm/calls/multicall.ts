import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import { toQuantity } from '../fetch/rawBlock.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'

/**
 * A block to call at. The hash is sent by EIP-1898; nodes that do not support it get the number.
 */
export type MulticallBlock =
  | { hash: string; number?: number | undefined }
  | { number: number }
  | 'latest'

export type MulticallOptions = {
  /**
   * Gas limit per call, so that one contract cannot use up the gas of the others. @default
   * unlimited
   */
  gasPerCallMax?: number | undefined
  /** Number of calls in one eth_call. @default 250 */
  chunk?: number | undefined
  /** Lets all other requests go first. @default false */
  isBackground?: boolean | undefined
  signal?: AbortSignal | undefined
}

export type Multicall = {
  /** Returns results in the order of the calls. Throws an RpcError if no node answered. */
  call(
    calls: readonly MulticallCall[],
    block: MulticallBlock,
    options?: MulticallOptions,
  ): Promise<MulticallResult[]>
}

type CreateMulticallOptions = {
  rpc: EvmRpc
  /** Address of Multicall3 on this chain. */
  address: string
}

// 250 balance reads take about 8 million gas and 70 kB of call data, below every node's known
// limits.
const chunkDefault = 250
// Multicall3's own gas per call, with a margin.
const gasOverheadPerCall = 20_000

type Ask = {
  block: MulticallBlock
  gasPerCallMax: number | undefined
  isBackground: boolean | undefined
  signal: AbortSignal | undefined
}

export function createMulticall({ rpc, address }: CreateMulticallOptions): Multicall {
  /** Encodes several calls as one call of Multicall3. */
  function wrap(calls: readonly MulticallCall[]): MulticallCall {
    return { to: address, data: encodeAggregate(calls) }
  }

  function gasFor(count: number, ask: Ask): Ask {
    const perCall = ask.gasPerCallMax
    return { ...ask, gasPerCallMax: perCall && (perCall + gasOverheadPerCall) * count }
  }

  /**
   * Sends each call separately through Multicall3, so that the EVM reports a failure instead of the
   * node's error text. Without Multicall3, or if an answer is too large to be passed on, falls back
   * to a direct call.
   */
  async function callAlone(calls: readonly MulticallCall[], ask: Ask): Promise<MulticallResult[]> {
    const wrapped = await ethCalls(
      rpc,
      calls.map((call) => wrap([call])),
      gasFor(1, ask),
    )
    const results = wrapped.map((result) => (result.ok ? decodeAggregate(result.data, 1) : null))
    const places = [...results.keys()].filter((place) => results[place] === null)
    const bare = places.length === 0 ? [] : await callBare(rpc, placed(calls, places), ask)
    let next = 0
    return results.map((result) => result?.[0] ?? bare[next++]!)
  }

  async function callChunk(calls: readonly MulticallCall[], ask: Ask): Promise<MulticallResult[]> {
    if (calls.length === 1) return callAlone(calls, ask)
    const [whole] = await ethCalls(rpc, [wrap(calls)], gasFor(calls.length, ask))
    // Multicall3 itself only fails when it runs out of gas, either ours or the node's limit, so the
    // calls are halved.
    if (!whole!.ok) return callHalves(calls, ask)
    const results = decodeAggregate(whole!.data, calls.length)
    // Multicall3 is not deployed at this block, or another contract has its address.
    if (results === null) return callBare(rpc, calls, ask)
    // An earlier call may have used up the gas, so each failed call is repeated alone.
    const failed = [...results.keys()].filter((place) => !results[place]!.ok)
    if (failed.length === 0) return results
    const alone = await callAlone(placed(calls, failed), ask)
    for (const [position, place] of failed.entries()) results[place] = alone[position]!
    return results
  }

  async function callHalves(calls: readonly MulticallCall[], ask: Ask): Promise<MulticallResult[]> {
    const middle = calls.length >> 1
    const halves = [calls.slice(0, middle), calls.slice(middle)]
    return (await Promise.all(halves.map((half) => callChunk(half, ask)))).flat()
  }

  return {
    async call(calls, block, options = {}) {
      const { chunk = chunkDefault, gasPerCallMax, isBackground, signal } = options
      const ask = { block, gasPerCallMax, isBackground, signal }
      const chunks: Promise<MulticallResult[]>[] = []
      for (let at = 0; at < calls.length; at += chunk)
        chunks.push(callChunk(calls.slice(at, at + chunk), ask))
      return (await Promise.all(chunks)).flat()
    },
  }
}

/**
 * Sends calls directly to the contracts. A failure that the node does not explain is checked in the
 * EVM.
 */
async function callBare(
  rpc: EvmRpc,
  calls: readonly MulticallCall[],
  ask: Ask,
): Promise<MulticallResult[]> {
  const results = await askNodes(rpc, ethCallsAt(calls, ask), ask)
  const unexplained = [...results.keys()].filter((place) => isUnexplained(results[place]!))
  if (unexplained.length === 0) return results.map(toMulticallResult)
  const probes = placed(calls, unexplained).map((call) => ({ data: encodeProbe(call) }))
  const outcomes = await askNodes(rpc, ethCallsAt(probes, ask), ask)
  const failed = new Set(unexplained.filter((_, at) => isProvenFailure(outcomes[at]!)))
  return results.map((result, at) => (failed.has(at) ? { ok: false } : toMulticallResult(result)))
}

/**
 * Returns results in order. Throws the first error caused by a node, which says nothing about the
 * contract.
 */
async function ethCalls(
  rpc: EvmRpc,
  calls: readonly MulticallCall[],
  ask: Ask,
): Promise<MulticallResult[]> {
  return (await askNodes(rpc, ethCallsAt(calls, ask), ask)).map(toMulticallResult)
}

type CallAt = (block: unknown) => RpcCall

/** Calls at the block's hash, or at its number if a node rejects the hash. */
async function askNodes(
  rpc: EvmRpc,
  calls: readonly CallAt[],
  { block, isBackground, signal }: Ask,
): Promise<RpcResult[]> {
  const at = blockParam(block)
  const results = await rpc.requestBatch(
    calls.map((call) => call(at)),
    { signal, isBackground },
  )
  if (block === 'latest' || !('hash' in block) || block.number === undefined) return results
  const refused = [...results.keys()].filter((place) => isHashRefused(results[place]!))
  if (refused.length === 0) return results
  const number = toQuantity(block.number)
  const again = await rpc.requestBatch(
    refused.map((place) => calls[place]!(number)),
    { signal, isBackground },
  )
  for (const [position, place] of refused.entries()) results[place] = again[position]!
  return results
}

function placed(calls: readonly MulticallCall[], places: readonly number[]): MulticallCall[] {
  return places.map((place) => calls[place]!)
}

/** Without `to`, the data is code to run. */
function ethCallsAt(
  calls: readonly { to?: string; data: string }[],
  { gasPerCallMax }: Ask,
): CallAt[] {
  const gas = gasPerCallMax === undefined ? {} : { gas: toQuantity(gasPerCallMax) }
  return calls.map((call) => (block) => ({
    method: 'eth_call',
    params: [{ ...call, ...gas }, block],
  }))
}

function blockParam(block: MulticallBlock): unknown {
  if (block === 'latest') return 'latest'
  return 'hash' in block ? { blockHash: block.hash } : toQuantity(block.number)
}

/** Detects nodes without EIP-1898, which report invalid parameters. */
function isHashRefused(result: RpcResult): boolean {
  return !result.ok && (result.error.kind === 'refused' || result.error.kind === 'failed')
}

function isUnexplained(result: RpcResult): boolean {
  return !result.ok && result.error.kind === 'failed'
}

// Length of code that copies the data after it to memory, calls a contract with it, and returns 1,
// or 0 if the call failed.
const probeLength = 51

function encodeProbe({ to, data }: MulticallCall): string {
  const size = ((data.length - 2) / 2).toString(16).padStart(4, '0')
  const copy = `61${size}61${probeLength.toString(16).padStart(4, '0')}600039`
  const call = `6000600061${size}6000600073${to.slice(2)}5af1`
  return `0x${copy}${call}60005260206000f3${data.slice(2)}`
}

function isProvenFailure(outcome: RpcResult): boolean {
  return outcome.ok && typeof outcome.value === 'string' && /^0x0{64}$/.test(outcome.value)
}

function toMulticallResult(result: RpcResult): MulticallResult {
  if (result.ok) return { ok: true, data: typeof result.value === 'string' ? result.value : '0x' }
  if (result.error.isOfContract) return { ok: false }
  throw result.error
}

export type MulticallCall = { to: string; data: string }

/**
 * Result of one call, as 0x hex. `ok: false`: the call failed in the EVM. An address without a
 * contract returns `0x`.
 */
export type MulticallResult = { ok: true; data: string } | { ok: false }

// Selector of aggregate3((address target, bool allowFailure, bytes callData)[]), which returns
// (bool success, bytes returnData)[]. Encoded by hand: a general ABI coder hashes the signature and
// walks the types for every call.
const aggregateSelector = '0x82ad56cb'
const wordDigits = 64
const wordBytes = 32
const trueWord = wordOf(1)
const arrayOffsetWord = wordOf(wordBytes)
// Each call starts with three words before its data: target, allowFailure and this offset.
const dataOffsetWord = wordOf(3 * wordBytes)

export function encodeAggregate(calls: readonly MulticallCall[]): string {
  const offsets: string[] = []
  const parts: string[] = []
  let offset = calls.length * wordBytes
  for (const { to, data } of calls) {
    const digits = data.length - 2
    const padded = Math.ceil(digits / wordDigits) * wordDigits
    offsets.push(wordOf(offset))
    parts.push(
      to.slice(2).toLowerCase().padStart(wordDigits, '0'),
      trueWord,
      dataOffsetWord,
      wordOf(digits / 2),
      data.slice(2).padEnd(padded, '0'),
    )
    offset += 4 * wordBytes + padded / 2
  }
  const head = aggregateSelector + arrayOffsetWord + wordOf(calls.length)
  return head + offsets.join('') + parts.join('')
}

/** Decodes the answer to `count` calls; null if the answer does not match them. */
export function decodeAggregate(answer: string, count: number): MulticallResult[] | null {
  // Index of the first item's offset in the hex text. Offsets are bytes from the start of their
  // array or item.
  const itemsStart = 2 + 2 * wordDigits
  if (numberAt(answer, 2) !== wordBytes || numberAt(answer, 2 + wordDigits) !== count) return null
  const results: MulticallResult[] = []
  for (let at = 0; at < count; at += 1) {
    const start = itemsStart + 2 * numberAt(answer, itemsStart + at * wordDigits)
    const success = numberAt(answer, start)
    const lengthStart = start + 2 * numberAt(answer, start + wordDigits)
    const dataStart = lengthStart + wordDigits
    const dataEnd = dataStart + 2 * numberAt(answer, lengthStart)
    // Comparisons with NaN, a number that could not be read, are false.
    if (!(dataEnd <= answer.length) || !(success <= 1)) return null
    results.push(
      success === 1 ? { ok: true, data: `0x${answer.slice(dataStart, dataEnd)}` } : { ok: false },
    )
  }
  return results
}

function wordOf(value: number): string {
  return value.toString(16).padStart(wordDigits, '0')
}

const wordPattern = /^0{52}[\da-f]{12}$/i

/** Reads a word as a number; NaN if it is malformed or larger than any offset. */
function numberAt(digits: string, start: number): number {
  const word = digits.slice(start, start + wordDigits)
  return wordPattern.test(word) ? Number.parseInt(word, 16) : Number.NaN
}
