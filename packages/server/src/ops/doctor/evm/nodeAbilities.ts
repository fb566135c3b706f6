import { parseQuantity } from '../../../chain/evm/fetch/rawBlock.ts'
import { NodeRefusedError } from '../../errors.ts'
import type { DoctorNode } from '../doctorNode.ts'

export type NodeBlock = { number: number; hash: string; parentHash: string; timeS: number }

/** Parses a node's answer as a block; null: the answer is not a block. */
export function parseNodeBlock(answer: unknown): NodeBlock | null {
  const { hash, parentHash, ...block } = (answer ?? {}) as Record<string, unknown>
  const [number, timeS] = [parseQuantity(block.number), parseQuantity(block.timestamp)]
  if (typeof hash !== 'string' || typeof parentHash !== 'string') return null
  if (Number.isNaN(number) || Number.isNaN(timeS)) return null
  return { number, hash, parentHash, timeS }
}

/** Identity and supported methods of an EVM endpoint. */
export type NodeAbilities = {
  chainId: number
  client: string | null
  head: NodeBlock
  /** Newest block with the `finalized` tag; null: the node does not support the tag. */
  finalizedNumber: number | null
  /** True if the node supports `eth_getBlockReceipts`. */
  hasBlockReceipts: boolean
  /** Has the state of old blocks. */
  isArchive: boolean
  /**
   * Widest accepted `eth_getLogs` range among the sizes tried, at most all blocks; 0: the node
   * returns no logs.
   */
  logRangeBlocks: number
  acceptsBatches: boolean
}

const rangesTried = [10_000, 5_000, 2_000, 1_000, 500, 100, 10, 1]
const zeroAddress = `0x${'0'.repeat(40)}`

export async function readNodeAbilities(node: DoctorNode): Promise<NodeAbilities> {
  const chainId = parseQuantity(await node.ask('eth_chainId'))
  const head = parseNodeBlock(await node.ask('eth_getBlockByNumber', ['latest', false]))
  if (Number.isNaN(chainId) || head === null) {
    const reason = 'It reports neither a chain nor a block.'
    throw new NodeRefusedError({ method: 'eth_chainId', reason })
  }
  const { number } = head
  const isAnswered = (method: string, ...params: unknown[]) =>
    node.ask(method, params).then(
      (answer) => answer !== null,
      () => false,
    )
  const finalized = await node
    .ask('eth_getBlockByNumber', ['finalized', false])
    .then(parseNodeBlock)
    .catch(() => null)
  const client = await node.ask('web3_clientVersion').catch(() => null)
  return {
    chainId,
    client: typeof client === 'string' ? node.hide(client).slice(0, 200) : null,
    head,
    finalizedNumber: finalized?.number ?? null,
    hasBlockReceipts: await isAnswered('eth_getBlockReceipts', hexOf(number)),
    isArchive: await isAnswered('eth_getBalance', zeroAddress, hexOf(Math.min(1, number))),
    logRangeBlocks: await widestRange(number, isAnswered),
    acceptsBatches: await node.acceptsBatches(['eth_chainId', 'eth_blockNumber']),
  }
}

/** Asks for logs of an address without logs, so that only the width of the range matters. */
async function widestRange(
  head: number,
  isAnswered: (method: string, ...params: unknown[]) => Promise<boolean>,
): Promise<number> {
  for (const blocks of rangesTried) {
    const fromBlock = hexOf(Math.max(0, head - blocks + 1))
    const filter = { address: zeroAddress, fromBlock, toBlock: hexOf(head) }
    if (await isAnswered('eth_getLogs', filter)) return Math.min(blocks, head + 1)
  }
  return 0
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`
}
