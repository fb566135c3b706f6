import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import { toQuantity } from '../fetch/rawBlock.ts'
import { nativeStandardOf } from '../nativeTokens.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'

export type ContractQuery = {
  rpc: EvmRpc
  address: string
  /** It is there at this block. */
  block: { number: number }
  signal?: AbortSignal | undefined
  /** Places asked about at once. @default 15: seven rounds of them reach any block of any chain */
  pointsPerRound?: number | undefined
  /** Everything else goes first. @default false */
  isBackground?: boolean | undefined
}

const pointsPerRoundDefault = 15

/** The block a contract was made in. Null when no node has the state of old blocks; throws when none answers. */
export async function findCreationBlock(query: ContractQuery): Promise<number | null> {
  const found = await firstBlockWith('code', query)
  if (found !== query.block.number) return found
  // Created in this very block, or a token without code.
  const [hasCode] = (await haveSign('code', query, [found])) ?? []
  return hasCode === false ? await firstBlockWith('answer', query) : found
}

/** `query.block` where no block before it has the sign. */
async function firstBlockWith(sign: Sign, query: ContractQuery): Promise<number | null> {
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

/** Whether there was code after each of these blocks. Null: no node has the state of one of them. */
export function haveCode(
  query: Omit<ContractQuery, 'block'>,
  points: readonly number[],
): Promise<boolean[] | null> {
  return haveSign('code', query, points)
}

async function haveSign(
  sign: Sign,
  { rpc, address, signal, isBackground }: Omit<ContractQuery, 'block'>,
  points: readonly number[],
): Promise<boolean[] | null> {
  const calls = points.map((at) => signCall(sign, address, toQuantity(at)))
  // Once round all nodes: state that is not there now will not be there in a second.
  const results = await rpc.requestBatch(calls, { signal, isBackground, roundsMax: 1 })
  const found: boolean[] = []
  for (const result of results) {
    const has = hasSign(result)
    if (has !== null) found.push(has)
    else if (result.ok || result.error.kind === 'notFound') return null
    else throw result.error
  }
  return found
}

/** Unix seconds of a header as it was sent; null: it has none. */
export function timeOfHeader(raw: unknown): number | null {
  const timestamp = (raw as { timestamp?: unknown } | null)?.timestamp
  return typeof timestamp === 'string' && /^0x[0-9a-f]+$/i.test(timestamp)
    ? Number(timestamp)
    : null
}

export type NativeCreation = { block: number; txHash: string }

export type NativeCreationQuery = {
  rpc: Pick<EvmRpc, 'request'>
  address: string
  block: { number: number }
  signal?: AbortSignal | undefined
  isBackground?: boolean | undefined
}

/**
 * Where the factory of its standard created a token, by the factory's event: one call, which needs no old state.
 * Null: not a token of a known standard, or the node does not search so many blocks.
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

/** Proof that a contract exists: its code, or an answer of a token that the node itself runs. */
export type Sign = 'code' | 'answer'

const totalSupply = '0x18160ddd'

export function signCall(sign: Sign, address: string, at: unknown): RpcCall {
  return sign === 'code'
    ? { method: 'eth_getCode', params: [address, at] }
    : { method: 'eth_call', params: [{ to: address, data: totalSupply }, at] }
}

/** Null: the call failed, and not by the contract's will. */
export function hasSign(result: RpcResult): boolean | null {
  if (result.ok) return typeof result.value === 'string' && result.value !== '0x'
  return result.error.isOfContract ? false : null
}
