import { parseQuantity } from '../../../chain/evm/fetch/rawBlock.ts'
import { evmAnswerLimits } from '../../../chain/evm/rpc/evmRpc.ts'
import { findChain } from '../../../config/findChain.ts'
import { topics0Of } from '../../../decode/evm/decodeEvmBlock.ts'
import { createUnclaimedTopics } from '../../../decode/evm/unclaimedTopics.ts'
import type { UnclaimedLogs } from '../../../model/evm/unclaimedLogs.ts'
import type { SwapSummary } from '../../../model/swapLine.ts'
import { findReceipts, type OfflineReceipt } from '../../../offline/evm/findReceipts.ts'
import { findUnclaimed, sharesOf, type UnclaimedLog } from '../../../offline/evm/findUnclaimed.ts'
import { knownVenues } from '../../../venues/evm/venues.ts'
import { type ChainDescription, createReceiptDecoder } from '../../evm/decodeReceipts.ts'
import { type DoctorNode, openDoctorNode } from '../doctorNode.ts'
import {
  type CheckUrlOptions,
  countWords,
  type DoctorFinding,
  findingsOf,
  percentText,
  type SwapSample,
  swapSampleOf,
  swapsText,
  type UrlReport,
} from '../finding.ts'
import { nodeTimeoutMs } from '../nodeFindings.ts'
import { checkEvmNodes } from './checkEvmNodes.ts'
import { parseNodeBlock } from './evmNode.ts'

export type EvmSample = SwapSample & {
  from_block: number
  to_block: number
  logs: number
  unclaimed: Unclaimed
}

/** Logs that look like swaps but match no venue. */
type Unclaimed = {
  logs: number
  /** Share of all swap-like logs that match no venue. */
  share: number
  /** Share of all transactions with trades that contain such a log. */
  share_of_transactions: number
  by: { topic0: string; contract: string; logs: number }[]
  /** Unread logs of configured factories, managers and launch platforms, swap-like or not. */
  topics: UnclaimedLogs[]
}

type UrlTerms = ChainDescription & { node_checks?: { bloom?: boolean } }

const unclaimedListedMax = 20
// Default of `poll_ms`.
const pollMs = 1_000

/**
 * Runs the doctor's EVM checks on a node that no config names, using the preset of its chain id.
 */
export async function checkEvmUrl(options: CheckUrlOptions): Promise<UrlReport<EvmSample>> {
  const { url, blocks, config } = options
  const node = openDoctorNode(url, { timeoutMs: nodeTimeoutMs, limits: evmAnswerLimits })
  try {
    const chainId = parseQuantity(await node.ask('eth_chainId').catch(() => null))
    const known = findChain(String(chainId), config.chains)
    const terms = (known?.terms ?? null) as UrlTerms | null
    const name = known?.name ?? 'node'
    const wsUrl = url.href.replace(/^http/, 'ws')
    const setup = {
      profile: { name },
      endpoints: [{ httpUrl: url.href, wsUrl }],
      chainId: undefined,
      pollMs,
      finality: { type: 'tag' as const },
      blocks: { checks: { bloom: terms?.node_checks?.bloom ?? true } },
    }
    const findings = await checkEvmNodes(setup, options)
    if (Number.isNaN(chainId)) return { findings, chain: null, sample: null }
    const sample = await sampleOf(node, terms, blocks).catch(() => null)
    return {
      findings: [...findings, chainFinding(name, chainId, terms), ...sampleFindings(name, sample)],
      chain: known?.name ?? null,
      sample,
    }
  } finally {
    node.close()
  }
}

function chainFinding(name: string, chainId: number, terms: UrlTerms | null): DoctorFinding {
  const { ok } = findingsOf(name)
  if (terms === null)
    return ok('chain', `${chainId}, which has no preset: a config must say what to index.`)
  const { factories = [], launch_platforms: platforms = [] } = terms
  const listOf = (words: readonly string[]) => [...new Set(words)].join(', ') || 'none'
  const dexes = listOf(factories.map(({ amm }) => amm))
  const launches = listOf(platforms.map(({ platform }) => platform))
  return ok('chain', `${name}. DEXes: ${dexes}. Launch platforms: ${launches}.`)
}

function sampleFindings(name: string, sample: EvmSample | null): DoctorFinding[] {
  const { ok, warn } = findingsOf(name)
  if (sample === null)
    return [warn('decoded', 'Returns no logs of its newest blocks.', 'Use another node.')]
  const { from_block: from, to_block: to, logs, unclaimed } = sample
  const share = percentText(unclaimed.share)
  const ofTransactions = percentText(unclaimed.share_of_transactions)
  return [
    ok('decoded', `Blocks ${from} to ${to}: ${logs} logs, ${swapsText(sample)}.`),
    ok(
      'unclaimed',
      `Swap-like logs that match no venue: ${unclaimed.logs}, ${share} of all swap-like logs, in ${ofTransactions} of transactions with trades.`,
    ),
  ]
}

/** Decodes the newest blocks of a node; null: the node returns neither receipts nor logs. */
async function sampleOf(
  node: DoctorNode,
  terms: ChainDescription | null,
  blocks: number,
): Promise<EvmSample | null> {
  const head = parseNodeBlock(await node.ask('eth_getBlockByNumber', ['latest', false]))
  const receipts: OfflineReceipt[] = []
  let oldest = head
  for (let left = blocks, block = head; block !== null && left > 0; left--) {
    const ofBlock = await receiptsOf(node, block.hash)
    if (ofBlock === null) return null
    receipts.unshift(...ofBlock)
    oldest = block
    block = parseNodeBlock(await node.ask('eth_getBlockByHash', [block.parentHash, false]))
  }
  if (head === null || oldest === null) return null
  const lines = createReceiptDecoder(terms).describe(receipts)
  return {
    from_block: oldest.number,
    to_block: head.number,
    logs: receipts.reduce((sum, { logs }) => sum + logs.length, 0),
    ...swapSampleOf(lines),
    unclaimed: {
      ...unclaimedOf(findUnclaimed(receipts, lines), lines),
      topics: unclaimedTopicsOf(receipts, terms),
    },
  }
}

async function receiptsOf(node: DoctorNode, blockHash: string): Promise<OfflineReceipt[] | null> {
  const receipts = await node.ask('eth_getBlockReceipts', [blockHash]).catch(() => null)
  if (receipts !== null) return findReceipts(receipts) ?? []
  const logs = await node.ask('eth_getLogs', [{ blockHash }]).catch(() => null)
  return logs === null ? null : (findReceipts({ logs }) ?? [])
}

function unclaimedTopicsOf(
  receipts: readonly OfflineReceipt[],
  terms: ChainDescription | null,
): UnclaimedLogs[] {
  const named = [...(terms?.factories ?? []), ...(terms?.launch_platforms ?? [])]
  const watched = new Set(named.map(({ address }) => address.toLowerCase()))
  const read = new Set(topics0Of(knownVenues))
  const topics = createUnclaimedTopics(unclaimedListedMax)
  for (const { logs } of receipts)
    for (const {
      address,
      topics: [topic],
    } of logs)
      if (topic !== undefined && watched.has(address) && !read.has(topic))
        topics.add(address, topic)
  return topics.rows()
}

function unclaimedOf(
  logs: readonly UnclaimedLog[],
  lines: readonly SwapSummary[],
): Omit<Unclaimed, 'topics'> {
  const { ofLogs, ofTransactions } = sharesOf(logs, lines)
  const counts = countWords(logs.map(({ topic0, contract }) => `${topic0} ${contract}`))
  return {
    logs: logs.length,
    share: ofLogs,
    share_of_transactions: ofTransactions,
    by: counts.slice(0, unclaimedListedMax).map(([key, count]) => {
      const [topic0 = '', contract = ''] = key.split(' ')
      return { topic0, contract, logs: count }
    }),
  }
}
