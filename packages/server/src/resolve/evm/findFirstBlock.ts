import { RpcError } from '../../chain/errors.ts'
import {
  type ExistenceProof,
  existenceCall,
  findNativeCreation,
  provesExistence,
} from '../../chain/evm/calls/contractCreation.ts'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { BoundedMap } from '../../lib/boundedMap.ts'
import { blockNumberDistance, highestNumberBefore, lowestNumberAfter } from '../../model/block.ts'
import type { ReadPoint } from '../chainReader.ts'

type FirstBlockQuery = {
  rpc: EvmRpc
  address: string
  at: ReadPoint
  firstBlock: number
  /**
   * Below this distance, one eth_getLogs over the blocks in between is cheaper than another probe.
   * @default 2_000
   */
  closeBlocks?: number | undefined
}

type FirstBlockFinderOptions = {
  rpc: EvmRpc
  /** No contract is older than this block. */
  firstBlock: number
  reorgDepthMax: number
  /** Number of contracts remembered. @default 50_000 */
  countMax?: number | undefined
}

const countMaxDefault = 50_000

/**
 * Finds the first blocks of contracts and remembers them, except those that a reorg could still
 * change.
 */
export function createFirstBlockFinder(options: FirstBlockFinderOptions) {
  const { rpc, firstBlock, reorgDepthMax, countMax = countMaxDefault } = options
  const found = new BoundedMap<string, Promise<number>>(countMax)

  return function firstBlockOf(address: string, at: ReadPoint): Promise<number> {
    const known = found.get(address)
    if (known !== undefined) return known
    const search = findFirstBlock({ rpc, address, at, firstBlock })
    found.set(address, search)
    void search.then((first) => {
      if (first !== firstBlock && blockNumberDistance(first, at.number) < reorgDepthMax)
        found.delete(address)
    })
    return search
  }
}

const closeBlocksDefault = 2_000
const stepFirstBlocks = 64

/**
 * Returns a block at or before the contract's creation, found by probing for its code further and
 * further back, then bisecting. If the nodes keep no state that old, returns the block after the
 * last one known to have no code. A precompiled token has no code and exists where it answers a
 * call.
 */
export async function findFirstBlock(query: FirstBlockQuery): Promise<number> {
  const { at, firstBlock, closeBlocks = closeBlocksDefault } = query
  const created = await findNativeCreation({ ...query, block: at, isBackground: true })
  if (created !== null) return Math.max(firstBlock, created.block)
  const newest = { blockHash: at.hash }
  const isCodeless = (await existsAt('code', query, newest)) === false
  const sign = isCodeless ? 'answer' : 'code'
  if (isCodeless && (await existsAt(sign, query, newest)) === false)
    return lowestNumberAfter(at.number)
  if (blockNumberDistance(firstBlock, at.number) < closeBlocks) return firstBlock
  let withCode = at.number
  let without = highestNumberBefore(firstBlock)
  for (let step = stepFirstBlocks; withCode - step > firstBlock; step *= 4) {
    const has = await existsAt(sign, query, hexOf(withCode - step))
    if (has === null) return firstBlock
    if (!has) {
      without = withCode - step
      break
    }
    withCode -= step
  }
  while (withCode - without > closeBlocks) {
    const middle = Math.floor((without + withCode) / 2)
    const has = await existsAt(sign, query, hexOf(middle))
    if (has === null) break
    if (has) withCode = middle
    else without = middle
  }
  return without + 1
}

/** Returns whether the contract has code at a block. Null: the node has no state of that block. */
export function hasCode(query: ContractCall, block: unknown): Promise<boolean | null> {
  return existsAt('code', query, block)
}

type ContractCall = Pick<FirstBlockQuery, 'rpc' | 'address'>

async function existsAt(
  sign: ExistenceProof,
  { rpc, address }: ContractCall,
  block: unknown,
): Promise<boolean | null> {
  const { method, params } = existenceCall(sign, address, block)
  // Each node is tried once: an answer that is missing now will not appear within seconds.
  const options = { roundsMax: 1, isBackground: true }
  return await rpc.request(method, params, options).then(
    (value) => provesExistence({ ok: true, value, endpoint: 0 }),
    (error) =>
      error instanceof RpcError ? provesExistence({ ok: false, error, endpoint: 0 }) : null,
  )
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`
}
