import { RpcError } from '../../chain/errors.ts'
import {
  findNativeCreation,
  hasSign,
  type Sign,
  signCall,
} from '../../chain/evm/calls/contractCreation.ts'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { BoundedMap } from '../../lib/boundedMap.ts'
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
  const found = new BoundedMap<string, Promise<number>>(countMax)

  return function firstBlockOf(address: string, at: ReadPoint): Promise<number> {
    const known = found.get(address)
    if (known !== undefined) return known
    const search = findFirstBlock({ rpc, address, at, firstBlock })
    found.set(address, search)
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
 * the last block without code is the best that is known. A token without code exists where it answers.
 */
export async function findFirstBlock(query: FirstBlockQuery): Promise<number> {
  const { at, firstBlock, closeBlocks = closeBlocksDefault } = query
  const created = await findNativeCreation({ ...query, block: at, isBackground: true })
  if (created !== null) return Math.max(firstBlock, created.block)
  const newest = { blockHash: at.hash }
  const isCodeless = (await hasSignAt('code', query, newest)) === false
  const sign = isCodeless ? 'answer' : 'code'
  if (isCodeless && (await hasSignAt(sign, query, newest)) === false)
    return leastNumberAfter(at.number)
  if (numbersApart(firstBlock, at.number) < closeBlocks) return firstBlock
  let withCode = at.number
  let without = greatestNumberBefore(firstBlock)
  for (let step = stepFirstBlocks; withCode - step > firstBlock; step *= 4) {
    const has = await hasSignAt(sign, query, hexOf(withCode - step))
    if (has === null) return firstBlock
    if (!has) {
      without = withCode - step
      break
    }
    withCode -= step
  }
  while (withCode - without > closeBlocks) {
    const middle = Math.floor((without + withCode) / 2)
    const has = await hasSignAt(sign, query, hexOf(middle))
    if (has === null) break
    if (has) withCode = middle
    else without = middle
  }
  return without + 1
}

/** Whether there is code. Null: the node has no state of that block. */
export function hasCode(query: PlaceQuery, block: unknown): Promise<boolean | null> {
  return hasSignAt('code', query, block)
}

type PlaceQuery = Pick<FirstBlockQuery, 'rpc' | 'address'>

async function hasSignAt(
  sign: Sign,
  { rpc, address }: PlaceQuery,
  block: unknown,
): Promise<boolean | null> {
  const { method, params } = signCall(sign, address, block)
  // Once round all nodes: an answer that is not there now will not be there in a second.
  const options = { roundsMax: 1, isBackground: true }
  return await rpc.request(method, params, options).then(
    (value) => hasSign({ ok: true, value, endpoint: 0 }),
    (error) => (error instanceof RpcError ? hasSign({ ok: false, error, endpoint: 0 }) : null),
  )
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`
}
