import { createHash } from 'node:crypto'
import type { EvmBlock, EvmLog } from '../../../model/evm/evmBlock.ts'
import { InconsistentNodeError, RpcError } from '../../errors.ts'
import { blockCall, type FetchContext, fetchBlock, partsOf, unwrap } from '../fetch/fetchBlock.ts'
import type { RawBlock } from '../fetch/rawBlock.ts'
import { validateBlock } from './validateBlock.ts'

/** A block as one endpoint reports it. */
type BlockReport = { block: EvmBlock; endpoint: number }

/**
 * Verdict on a block. right: its receipts prove its logs, or most endpoints agree. wrong: `block`
 * is the correct one. split: endpoints disagree without a majority. alone: no other endpoint has
 * the block.
 */
export type Opinion =
  | { type: 'right' }
  | { type: 'wrong'; block: EvmBlock }
  | { type: 'split'; others: readonly EvmBlock[] }
  | { type: 'alone' }

// Limit for nodes without eth_getBlockReceipts: a full block of any chain has fewer transactions.
const receiptCallsMax = 5_000

/**
 * Verifies the logs of a block by its receipts or by other endpoints' reports. An endpoint that
 * proves wrong is distrusted.
 */
export async function secondOpinion(
  context: FetchContext,
  report: BlockReport,
  signal: AbortSignal,
): Promise<Opinion> {
  const order = othersFirst(context, report.endpoint)
  for (const endpoint of order) {
    const proven = await nullOnFailure(readProven(context, report.block.ref.hash, endpoint, signal))
    if (proven !== null) return judge(context, report, placedAs(report.block, proven))
  }
  const versions: BlockReport[] = [report]
  for (const endpoint of order) {
    if (endpoint === report.endpoint) continue
    const avoid = order.filter((other) => other !== endpoint)
    const other = await nullOnFailure(fetchBlock(context, report.block.ref.hash, { signal, avoid }))
    if (other !== null && versions.every((version) => version.endpoint !== other.endpoint))
      versions.push({ block: placedAs(report.block, other.block), endpoint: other.endpoint })
  }
  return vote(context, report, versions)
}

/**
 * Copies the parent of the delivered block: in the stream it is the previous block, which need not
 * be the parent in the chain.
 */
function placedAs({ ref: { parentNumber, parentHash } }: EvmBlock, block: EvmBlock): EvmBlock {
  return { ...block, ref: { ...block.ref, parentNumber, parentHash } }
}

function othersFirst({ rpc }: FetchContext, endpoint: number): number[] {
  const all = Array.from({ length: rpc.endpointCount() }, (_, index) => index)
  return [...all.filter((index) => index !== endpoint), endpoint].filter((index) => index >= 0)
}

function judge(context: FetchContext, report: BlockReport, proven: EvmBlock): Opinion {
  if (hasSameLogs(report.block, proven)) return { type: 'right' }
  distrust(context, report)
  return { type: 'wrong', block: proven }
}

function vote(
  context: FetchContext,
  report: BlockReport,
  versions: readonly BlockReport[],
): Opinion {
  if (versions.length === 1) return { type: 'alone' }
  const votesOf = ({ block }: BlockReport) =>
    versions.filter((version) => hasSameLogs(version.block, block)).length
  const best = versions.reduce((a, b) => (votesOf(b) > votesOf(a) ? b : a))
  const isDecided = versions.every(
    (version) => hasSameLogs(version.block, best.block) || votesOf(version) < votesOf(best),
  )
  if (!isDecided) return { type: 'split', others: versions.slice(1).map(({ block }) => block) }
  for (const version of versions)
    if (!hasSameLogs(version.block, best.block)) distrust(context, version)
  return hasSameLogs(report.block, best.block)
    ? { type: 'right' }
    : { type: 'wrong', block: best.block }
}

function distrust({ rpc }: FetchContext, { block, endpoint }: BlockReport): void {
  if (endpoint >= 0) rpc.penalise(endpoint, `Logs of block ${block.ref.number} are not true`)
}

/** Reads a block by its receipts, if they match the root in a header that matches the hash. */
async function readProven(
  context: FetchContext,
  hash: string,
  endpoint: number,
  signal: AbortSignal,
): Promise<EvmBlock | null> {
  const { rpc, headers, validation } = context
  const avoid = othersFirst(context, endpoint).filter((other) => other !== endpoint)
  const options = { signal, avoid, roundsMax: 1, isNullMiss: true }
  const [result] = await rpc.requestBatch([blockCall(hash, true)], options)
  const raw = unwrap(result!) as RawBlock | null
  const { header, fault } = headers.read(raw)
  if (raw === null || header === null || fault !== null || !header.isProven) return null
  if (header.hash !== hash) return null
  const listed = await readReceipts(context, raw, options)
  const parts = partsOf(raw, header, listed, true)
  const validated = validateBlock(parts, validation)
  return validated.fault === null && validated.isProven ? validated.block : null
}

async function readReceipts(
  { rpc }: FetchContext,
  { hash, transactions }: RawBlock,
  options: { signal: AbortSignal; avoid: readonly number[]; roundsMax: number },
): Promise<unknown> {
  if (rpc.supports('eth_getBlockReceipts')) {
    const call = { method: 'eth_getBlockReceipts', params: [hash] }
    const [whole] = await rpc.requestBatch([call], options)
    if (whole!.ok) return whole!.value
  }
  if (!Array.isArray(transactions) || transactions.length > receiptCallsMax) return null
  const calls = transactions.map((transaction) => ({
    method: 'eth_getTransactionReceipt',
    params: [typeof transaction === 'string' ? transaction : transaction?.hash],
  }))
  const results = await rpc.requestBatch(calls, options)
  return results.map(unwrap)
}

/** Returns null for an endpoint that does not answer or contradicts itself. */
async function nullOnFailure<found>(asked: Promise<found | null>): Promise<found | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof InconsistentNodeError) return null
    if (error instanceof RpcError && error.kind !== 'aborted') return null
    throw error
  }
}

export function hasSameLogs(one: EvmBlock, other: EvmBlock): boolean {
  return (
    one.logs.length === other.logs.length &&
    one.logs.every((log, at) => isSameLog(log, other.logs[at]!))
  )
}

function isSameLog(one: EvmLog, other: EvmLog): boolean {
  return (
    one.logIndex === other.logIndex &&
    one.address === other.address &&
    one.transactionHash === other.transactionHash &&
    one.topics.length === other.topics.length &&
    one.topics.every((topic, at) => topic === other.topics[at]) &&
    one.data.toLowerCase() === other.data.toLowerCase()
  )
}

/**
 * Verdict on a stored block. right, wrong: receipts prove it, or the majority of at least two
 * endpoints agrees. unknown: neither.
 */
export type Review = 'right' | 'wrong' | 'unknown'

/** Returns a digest that is equal for equal logs. */
export function logsDigestOf({ logs }: EvmBlock): string {
  const hash = createHash('sha256')
  for (const { logIndex, address, transactionHash, topics, data } of logs)
    hash.update(
      `${[logIndex, address, transactionHash, ...topics, data].join(' ').toLowerCase()}\n`,
    )
  return hash.digest('hex')
}

/** Verifies a stored block again. The endpoint that reported it first is no longer known. */
export async function reviewBlock(
  context: FetchContext,
  { hash, digest }: { hash: string; digest: string },
  signal: AbortSignal,
): Promise<Review> {
  const all = Array.from({ length: context.rpc.endpointCount() }, (_, endpoint) => endpoint)
  for (const endpoint of all) {
    const proven = await nullOnFailure(readProven(context, hash, endpoint, signal))
    if (proven !== null) return logsDigestOf(proven) === digest ? 'right' : 'wrong'
  }
  const digestOf = new Map<number, string>()
  for (const endpoint of all) {
    const avoid = all.filter((other) => other !== endpoint)
    const found = await nullOnFailure(fetchBlock(context, hash, { signal, avoid }))
    if (found !== null) digestOf.set(found.logsEndpoint, logsDigestOf(found.block))
  }
  const digests = [...digestOf.values()]
  // A single report may come from the endpoint that reported the block first.
  if (digests.length < 2) return 'unknown'
  const isMost = (one: string) =>
    2 * digests.filter((other) => other === one).length > digests.length
  const most = digests.find(isMost)
  if (most === undefined) return 'unknown'
  return most === digest ? 'right' : 'wrong'
}
