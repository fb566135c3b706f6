import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { greatestNumberBefore, leastNumberAfter, numbersApart } from '../../model/block.ts'
import type { ReadPoint } from '../chainReader.ts'

export type FirstBlockQuery = {
  rpc: EvmRpc
  address: string
  at: ReadPoint
  firstBlock: number
  /** Nearer than this, one eth_getLogs over the blocks in between is cheaper than another question. @default 2_000 */
  closeBlocks?: number | undefined
}

export type FirstBlocksOptions = {
  rpc: EvmRpc
  /** No contract is older. */
  firstBlock: number
  reorgDepthMax: number
  /** @default 50_000 */
  countMax?: number | undefined
}

const countMaxDefault = 50_000

/** Finds first blocks of contracts, each once: what is older than any reorg stays true. */
export function createFirstBlocks(options: FirstBlocksOptions) {
  const { rpc, firstBlock, reorgDepthMax, countMax = countMaxDefault } = options
  const found = new Map<string, Promise<number>>()

  return function firstBlockOf(address: string, at: ReadPoint): Promise<number> {
    const known = found.get(address)
    if (known !== undefined) return known
    const search = findFirstBlock({ rpc, address, at, firstBlock })
    found.set(address, search)
    if (found.size > countMax) found.delete(found.keys().next().value!)
    void search.then((first) => {
      if (first !== firstBlock && numbersApart(first, at.number) < reorgDepthMax)
        found.delete(address)
    })
    return search
  }
}

const closeBlocksDefault = 2_000
const stepFirstBlocks = 64

/**
 * A block at or before which the contract was made: its code is not there one block earlier. Asks
 * further and further back, then halves. A node that keeps no old state answers with an error; then
 * the last block without code is the best that is known.
 */
export async function findFirstBlock(query: FirstBlockQuery): Promise<number> {
  const { at, firstBlock, closeBlocks = closeBlocksDefault } = query
  if ((await hasCode(query, { blockHash: at.hash })) === false) return leastNumberAfter(at.number)
  if (numbersApart(firstBlock, at.number) < closeBlocks) return firstBlock
  let withCode = at.number
  let without = greatestNumberBefore(firstBlock)
  for (let step = stepFirstBlocks; withCode - step > firstBlock; step *= 4) {
    const has = await hasCode(query, hexOf(withCode - step))
    if (has === null) return firstBlock
    if (!has) {
      without = withCode - step
      break
    }
    withCode -= step
  }
  while (withCode - without > closeBlocks) {
    const middle = Math.floor((without + withCode) / 2)
    const has = await hasCode(query, hexOf(middle))
    if (has === null) break
    if (has) withCode = middle
    else without = middle
  }
  return without + 1
}

/** Null: the node has no state of that block. */
export async function hasCode(
  { rpc, address }: Pick<FirstBlockQuery, 'rpc' | 'address'>,
  block: unknown,
): Promise<boolean | null> {
  try {
    // Once round all nodes: an answer that is not there now will not be there in a second.
    const code = await rpc.request('eth_getCode', [address, block], {
      roundsMax: 1,
      isBackground: true,
    })
    return typeof code === 'string' && code !== '0x'
  } catch {
    return null
  }
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`
}
