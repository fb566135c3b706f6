import { createHash } from 'node:crypto'
import type { EvmBlock } from '../../../model/evm/evmBlock.ts'
import { type FetchContext, fetchBlock } from '../fetch/fetchBlock.ts'
import { orNull, readProven } from './secondOpinion.ts'

/** right, wrong: receipts prove it, or of two endpoints and more most say so. unknown: nothing decides. */
export type Review = 'right' | 'wrong' | 'unknown'

/** The same for the same logs. */
export function logsDigestOf({ logs }: EvmBlock): string {
  const hash = createHash('sha256')
  for (const { logIndex, address, transactionHash, topics, data } of logs)
    hash.update(
      `${[logIndex, address, transactionHash, ...topics, data].join(' ').toLowerCase()}\n`,
    )
  return hash.digest('hex')
}

/** Asks for a block that was taken on somebody's word before, of whom is not known any more. */
export async function reviewBlock(
  context: FetchContext,
  { hash, digest }: { hash: string; digest: string },
  signal: AbortSignal,
): Promise<Review> {
  const all = Array.from({ length: context.rpc.endpointCount() }, (_, endpoint) => endpoint)
  for (const endpoint of all) {
    const proven = await orNull(readProven(context, hash, endpoint, signal))
    if (proven !== null) return logsDigestOf(proven) === digest ? 'right' : 'wrong'
  }
  const told = new Map<number, string>()
  for (const endpoint of all) {
    const avoid = all.filter((other) => other !== endpoint)
    const found = await orNull(fetchBlock(context, hash, { signal, avoid }))
    if (found !== null) told.set(found.logsEndpoint, logsDigestOf(found.block))
  }
  const digests = [...told.values()]
  // One alone may be who told it first.
  if (digests.length < 2) return 'unknown'
  const isMost = (one: string) =>
    2 * digests.filter((other) => other === one).length > digests.length
  const most = digests.find(isMost)
  if (most === undefined) return 'unknown'
  return most === digest ? 'right' : 'wrong'
}
