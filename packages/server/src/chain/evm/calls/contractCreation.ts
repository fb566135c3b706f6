import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import { toQuantity } from '../fetch/rawBlock.ts'
import { nativeStandardOf } from '../nativeTokens.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'

type ContractQuery = {
  rpc: EvmRpc
  address: string
  /** A block after which the contract exists. */
  block: { number: number }
  signal?: AbortSignal | undefined
  /**
   * Number of blocks probed at once. @default 15, which finds any block of any chain in seven
   * rounds
   */
  pointsPerRound?: number | undefined
  /** Lets all other requests go first. @default false */
  isBackground?: boolean | undefined
}

const pointsPerRoundDefault = 15

/**
 * Returns the block in which a contract was created. Null if no node has old state. Throws if no
 * node answers.
 */
export async function findCreationBlock(query: ContractQuery): Promise<number | null> {
  const found = await firstBlockWith('code', query)
  if (found !== query.block.number) return found
  // Not found before the given block: either the contract was created in this very block, or it is
  // a token without code.
  const [hasCode] = (await haveSign('code', query, [found])) ?? []
  return hasCode === false ? await firstBlockWith('answer', query) : found
}

/**
 * Returns the first block at which the contract exists, or `query.block` if it does not exist
 * before.
 */
async function firstBlockWith(sign: ExistenceProof, query: ContractQuery): Promise<number | null> {
  const { pointsPerRound = pointsPerRoundDefault } = query
  let without = -1
  let withCode = query.block.number
  while (withCode - without > 1) {
    const step = Math.max(1, Math.ceil((withCode - without) / (pointsPerRound + 1)))
    const points: number[] = []
    for (let at = without + step; at < withCode; at += step) points.push(at)
    const found = await haveSign(sign, query, points)
    if (found === null) return null
    const first = found.indexOf(true)
    if (first === -1) without = points.at(-1)!
    else {
      withCode = points[first]!
      if (first > 0) without = points[first - 1]!
    }
  }
  return withCode
}

/**
 * Returns whether the contract had code after each block. Null if no node has the state of one of
 * them.
 */
export function readCodePresence(
  query: Omit<ContractQuery, 'block'>,
  points: readonly number[],
): Promise<boolean[] | null> {
  return haveSign('code', query, points)
}

async function haveSign(
  sign: ExistenceProof,
  { rpc, address, signal, isBackground }: Omit<ContractQuery, 'block'>,
  points: readonly number[],
): Promise<boolean[] | null> {
  const calls = points.map((at) => existenceCall(sign, address, toQuantity(at)))
  // Each node is tried once: state that is missing now will not appear within seconds.
  const results = await rpc.requestBatch(calls, { signal, isBackground, roundsMax: 1 })
  const found: boolean[] = []
  for (const result of results) {
    const has = provesExistence(result)
    if (has !== null) found.push(has)
    else if (result.ok || result.error.kind === 'notFound') return null
    else throw result.error
  }
  return found
}

/** Returns the Unix time of a raw header; null without a valid one. */
export function timeOfHeader(raw: unknown): number | null {
  const timestamp = (raw as { timestamp?: unknown } | null)?.timestamp
  return typeof timestamp === 'string' && /^0x[0-9a-f]+$/i.test(timestamp)
    ? Number(timestamp)
    : null
}

type NativeCreation = { block: number; txHash: string }

type NativeCreationQuery = {
  rpc: Pick<EvmRpc, 'request'>
  address: string
  block: { number: number }
  signal?: AbortSignal | undefined
  isBackground?: boolean | undefined
}

/**
 * Finds the creation of a native token by its factory's event: one call without old state. Null if
 * the token is of no known standard, or if the node does not search that many blocks.
 */
export async function findNativeCreation(
  query: NativeCreationQuery,
): Promise<NativeCreation | null> {
  const { rpc, address, block, signal, isBackground } = query
  const standard = nativeStandardOf(address)
  if (standard === null) return null
  const filter = {
    address: standard.factory,
    topics: [standard.createdTopic, `0x${address.slice(2).padStart(64, '0')}`],
    fromBlock: '0x0',
    toBlock: toQuantity(block.number),
  }
  const logs = await rpc
    .request('eth_getLogs', [filter], { signal, isBackground, roundsMax: 1 })
    .catch(() => null)
  const [log] = Array.isArray(logs) ? logs : []
  const { blockNumber, transactionHash } = log ?? {}
  if (typeof blockNumber !== 'string' || typeof transactionHash !== 'string') return null
  return { block: Number(blockNumber), txHash: transactionHash }
}

/**
 * Evidence that a contract exists: its code, or an answer of a token that the node itself
 * implements.
 */
export type ExistenceProof = 'code' | 'answer'

const totalSupply = '0x18160ddd'

export function existenceCall(sign: ExistenceProof, address: string, at: unknown): RpcCall {
  return sign === 'code'
    ? { method: 'eth_getCode', params: [address, at] }
    : { method: 'eth_call', params: [{ to: address, data: totalSupply }, at] }
}

/** Returns null if the call failed for another reason than the contract's own. */
export function provesExistence(result: RpcResult): boolean | null {
  if (result.ok) return typeof result.value === 'string' && result.value !== '0x'
  return result.error.isOfContract ? false : null
}
