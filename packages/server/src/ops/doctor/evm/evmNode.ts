import {
  parseHeader,
  parseQuantity,
  type RawBlock,
  type RawLog,
  type RawReceipt,
} from '../../../chain/evm/fetch/rawBlock.ts'
import { createBloomIndex } from '../../../chain/evm/verify/bloom.ts'
import { createHashFormat, isReceiptFormListed } from '../../../chain/evm/verify/headerReader.ts'
import { type NodeChecks, validateBlock } from '../../../chain/evm/verify/validateBlock.ts'
import type { RpcEndpointOptions } from '../../../chain/rpc/rpcCall.ts'
import type { EvmChainSetup } from '../../../kinds/evm/evmSetup.ts'
import { createLogger } from '../../../lib/logger.ts'
import { NodeRefusedError } from '../../errors.ts'
import type { DoctorNode } from '../doctorNode.ts'
import { type DoctorFinding, findingsOf } from '../finding.ts'

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

type BlockTerms = {
  abilities: NodeAbilities
  checks: NodeChecks
  chainId: number | undefined
}

/** Checks a block's logs and receipts against its header, with the same rules as indexing. */
export async function checkBlock(
  name: string,
  node: DoctorNode,
  raw: unknown,
  { abilities, checks, chainId }: BlockTerms,
): Promise<DoctorFinding> {
  const { ok, warn, fail } = findingsOf(name)
  const header = parseHeader(raw)
  if (header === null)
    return fail(
      'blocks',
      'The answer is not a block.',
      'Remove it from rpc: it is not an EVM node.',
    )
  const ask = (method: string, param: unknown) => node.ask(method, [param]).catch(() => null)
  const receipts = abilities.hasBlockReceipts
    ? await ask('eth_getBlockReceipts', header.hash)
    : null
  const logs = await ask('eth_getLogs', { blockHash: header.hash })
  const given = Array.isArray(logs) ? logs : logsOf(receipts)
  if (given === null)
    return warn(
      'blocks',
      `Returns no logs of block ${header.number}.`,
      'It may keep only the newest blocks: add another node for history.',
    )
  const parts = {
    header,
    isComplete: true,
    logs: given as RawLog[],
    transactions: (raw as RawBlock).transactions ?? [],
    receipts: Array.isArray(receipts) ? (receipts as RawReceipt[]) : null,
  }
  const form = createHashFormat({
    chain: name,
    what: 'receipts',
    isListed: isReceiptFormListed(chainId),
    logger: createLogger('silent'),
  })
  const { fault } = validateBlock(parts, {
    checks,
    wanted: new Map(),
    index: createBloomIndex(),
    receipts: form,
  })
  if (fault === null)
    return ok('blocks', `The ${given.length} logs of block ${header.number} match its header.`)
  return fail(
    'blocks',
    `Block ${header.number}: ${fault}.`,
    'It omits or invents logs: remove it from rpc, or turn off the check that this chain breaks (node_checks).',
  )
}

/** Returns all logs of a block from its receipts; null: no receipts. */
function logsOf(receipts: unknown): unknown[] | null {
  if (!Array.isArray(receipts)) return null
  return receipts.flatMap((receipt: { logs?: unknown[] } | null) => receipt?.logs ?? [])
}

type Pace = Pick<EvmChainSetup, 'pollMs' | 'finality'> & {
  /** Block time in seconds, measured on the node. */
  blockS: number
}

// Cost per block at the head: one batch with the block and its logs, plus native balances of
// traders and lookups of new tokens and pools.
const headCostPerBlock = { requests: 2, calls: 3.2 }
// Following the final block takes its header, and our own header at that height while the final
// block is ahead.
const tagCallsPerS = 2
const secondsPerDay = 86_400

/** Estimates the requests and calls per second that following the head costs one endpoint. */
export function headRequestRates({ blockS, pollMs, finality }: Pace, hasSocket: boolean) {
  const blocksPerS = 1 / blockS
  // A poll that finds no new block is a request too.
  const pollsPerS = hasSocket ? 0 : 1_000 / pollMs
  const tagsPerS = finality.type === 'tag' ? Math.min(tagCallsPerS, blocksPerS) : 0
  // Blocks that arrive between two polls share a batch.
  const turnsPerS = hasSocket ? blocksPerS : Math.min(blocksPerS, pollsPerS)
  const besideS = pollsPerS + tagsPerS
  return {
    requests: turnsPerS + (headCostPerBlock.requests - 1) * blocksPerS + besideS,
    calls: headCostPerBlock.calls * blocksPerS + besideS,
  }
}

/** Judges whether the configured rate covers the requests that following the head needs. */
export function planFinding(
  name: string,
  { wsUrl, requestsPerSecondMax, rateCounts = 'calls' }: RpcEndpointOptions,
  pace: Pace,
): DoctorFinding {
  const { ok, warn } = findingsOf(name)
  const { requests, calls } = headRequestRates(pace, wsUrl !== undefined)
  const perDay = (perS: number) => `${((perS * secondsPerDay) / 1e6).toFixed(2)} million`
  const text =
    `A block every ${rounded(pace.blockS)} s: following the head needs ${rounded(requests)} HTTP requests and ` +
    `${rounded(calls)} JSON-RPC calls per second, ${perDay(requests)} and ${perDay(calls)} per day.`
  const needed = rateCounts === 'calls' ? calls : requests
  if (requestsPerSecondMax === undefined || needed <= requestsPerSecondMax) return ok('plan', text)
  return warn(
    'plan',
    text,
    `requests_per_second_max is ${requestsPerSecondMax} ${rateCounts}: raise it to ${Math.ceil(2 * needed)}, if your plan allows it.`,
  )
}

const rounded = (value: number) => Number(value.toPrecision(2))
