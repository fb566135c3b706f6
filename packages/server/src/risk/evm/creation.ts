import { type Address, getContractAddress } from 'viem'
import type { EvmRpc } from '../../chain/evm/evmRpc.ts'
import { readBoundedLogs } from './boundedLogs.ts'

export type Creation = {
  block: number
  /** Null: the node did not say. */
  timeS: number | null
  creator: string | null
  txHash: string | null
}

export type CreationQuery = {
  rpc: EvmRpc
  address: string
  block: { number: number }
  signal: AbortSignal
}

// Places asked about at once: seven rounds of them reach any block of any chain.
const pointsPerRound = 15

/**
 * The block a contract was made in, and the transaction that made it with its sender. Null when the node keeps no
 * old state, or does not say.
 */
export async function findCreation(query: CreationQuery): Promise<Creation | null> {
  try {
    const block = await findCreationBlock(query)
    return block === null ? null : { block, ...(await findTransaction(query, block)) }
  } catch {
    // Who made a contract is absent from the report then; nothing else rests on it.
    return null
  }
}

async function findCreationBlock(query: CreationQuery): Promise<number | null> {
  let without = -1
  let withCode = query.block.number
  while (withCode - without > 1) {
    const step = Math.max(1, Math.ceil((withCode - without) / (pointsPerRound + 1)))
    const points: number[] = []
    for (let at = without + step; at < withCode; at += step) points.push(at)
    const found = await haveCode(query, points)
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

async function haveCode(
  { rpc, address, signal }: CreationQuery,
  points: readonly number[],
): Promise<boolean[] | null> {
  const calls = points.map((at) => ({ method: 'eth_getCode', params: [address, hexOf(at)] }))
  // Once round all nodes: state that is not there now will not be there in a second.
  const results = await rpc.requestBatch(calls, { signal, roundsMax: 1 })
  const found: boolean[] = []
  for (const result of results) {
    if (!result.ok) return null
    found.push(typeof result.value === 'string' && result.value !== '0x')
  }
  return found
}

type RawTransaction = { hash: string; from: string; to: string | null; nonce: string }

async function findTransaction({ rpc, address, signal }: CreationQuery, block: number) {
  const raw = (await rpc.request('eth_getBlockByNumber', [hexOf(block), true], { signal })) as {
    timestamp?: unknown
    transactions?: readonly RawTransaction[]
  } | null
  const timeS = timeOf(raw?.timestamp)
  const transactions = raw?.transactions ?? []
  const deployment = transactions.find(
    ({ from, to, nonce }) => to === null && deployedBy(from, nonce) === address,
  )
  if (deployment) return { timeS, creator: deployment.from.toLowerCase(), txHash: deployment.hash }
  // Made by another contract: it told of its first tokens in the same transaction.
  const range = { from: block, to: block, blocksMax: 1 }
  const logs = await readBoundedLogs({ rpc, address, signal, ...range })
  const first = transactions.find(({ hash }) => hash === logs?.[0]?.transactionHash)
  return { timeS, creator: first?.from.toLowerCase() ?? null, txHash: first?.hash ?? null }
}

function timeOf(timestamp: unknown): number | null {
  return typeof timestamp === 'string' && /^0x[0-9a-f]+$/i.test(timestamp)
    ? Number(timestamp)
    : null
}

function deployedBy(from: string, nonce: string): string {
  return getContractAddress({ from: from as Address, nonce: BigInt(nonce) }).toLowerCase()
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`
}
