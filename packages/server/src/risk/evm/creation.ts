import { type Address, getContractAddress } from 'viem'
import {
  findCreationBlock,
  findNativeCreation,
  timeOfHeader,
} from '../../chain/evm/calls/contractCreation.ts'
import { toQuantity } from '../../chain/evm/fetch/rawBlock.ts'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { readBoundedLogs } from './boundedLogs.ts'

export type Creation = {
  block: number
  /** Null if the node did not say. */
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

/**
 * Finds the block that created a contract, the transaction and its sender. Null if the node keeps
 * no old state or does not answer.
 */
export async function findCreation(query: CreationQuery): Promise<Creation | null> {
  try {
    const created = await findNativeCreation(query)
    const block = created?.block ?? (await findCreationBlock(query))
    if (block === null) return null
    return { block, ...(await findTransaction(query, block, created?.txHash)) }
  } catch {
    // The report then lacks the creator; nothing else depends on it.
    return null
  }
}

type RawTransaction = { hash: string; from: string; to: string | null; nonce: string }

async function findTransaction(query: CreationQuery, block: number, txHash: string | undefined) {
  const { rpc, address, signal } = query
  const raw = (await rpc.request('eth_getBlockByNumber', [toQuantity(block), true], {
    signal,
  })) as {
    transactions?: readonly RawTransaction[]
  } | null
  const timeS = timeOfHeader(raw)
  const transactions = raw?.transactions ?? []
  const deployment = transactions.find(
    ({ from, to, nonce }) => to === null && deployedBy(from, nonce) === address,
  )
  if (deployment) return { timeS, creator: deployment.from.toLowerCase(), txHash: deployment.hash }
  const hash = txHash ?? (await firstEventIn(query, block))
  const first = transactions.find((transaction) => transaction.hash === hash)
  return { timeS, creator: first?.from.toLowerCase() ?? null, txHash: first?.hash ?? null }
}

/**
 * A contract created by another contract usually mints its first tokens in the same transaction.
 */
async function firstEventIn(
  { rpc, address, signal }: CreationQuery,
  block: number,
): Promise<string | undefined> {
  const range = { from: block, to: block, blocksMax: 1 }
  const logs = await readBoundedLogs({ rpc, address, signal, ...range })
  return logs?.[0]?.transactionHash
}

function deployedBy(from: string, nonce: string): string {
  return getContractAddress({ from: from as Address, nonce: BigInt(nonce) }).toLowerCase()
}
