import { RpcError } from '../../chain/errors.ts'
import { type PoolAnswer, queryOf } from '../../model/pool.ts'
import type { FirstLeftOut } from '../../model/trust/leftOut.ts'
import type { ChainReader } from '../chainReader.ts'
import type { NotPools } from './notPools.ts'

/** Asks until somebody answers. */
export type Insist = <answer>(ask: () => Promise<answer>) => Promise<answer>

export type WrongedQuery = {
  /** It is one now, and its events were left out from this block on. */
  pool: string
  since: FirstLeftOut
  notPools: NotPools
  /** Blocks up to this one are never reverted. */
  settledNumber: number
  reader: ChainReader
  insist: Insist
}

/**
 * The first block that was resolved without a pool that was one. `none`: the contract has become a pool since, and none of
 * its events was a trade before. `final`: the block is never reverted, or nobody has its state any more to tell.
 *
 * What a contract is now says nothing of then: one that changes its answers at will could have the chain read again
 * and again. Who was wrong about one pool may have been wrong about others, so all that can still be made good is looked at.
 */
export async function findWronged(query: WrongedQuery): Promise<FirstLeftOut | 'none' | 'final'> {
  const { pool, since, notPools, settledNumber } = query
  const then = await readThen(query, since, [pool])
  if (then?.[0] === null) return 'none'
  if (then === null || since.number <= settledNumber) return 'final'
  for (const block of notPools.leftOutBetween(settledNumber, since.number)) {
    const answers = await readThen(query, block.since, block.addresses)
    if (answers?.some((answer) => answer !== null)) return block.since
  }
  return since
}

/** As of that very block. Null: nobody has its state any more. */
function readThen(
  { reader, insist }: WrongedQuery,
  { number, hash }: FirstLeftOut,
  addresses: readonly string[],
): Promise<(PoolAnswer | null)[] | null> {
  return insist(() =>
    reader
      .readPools(addresses.map(queryOf), { number, hash }, { isExact: true })
      .catch((error: unknown) => {
        if (error instanceof RpcError && error.kind === 'notFound') return null
        throw error
      }),
  )
}
