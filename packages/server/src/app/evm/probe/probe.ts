import { evmAnswerLimits } from '../../../chain/evm/rpc/answerLimits.ts'
import { findChain } from '../../../config/findChain.ts'
import type { Config } from '../../../config/schema/schema.ts'
import { topics0Of } from '../../../decode/evm/decodeEvmBlock.ts'
import { findReceipts, type OfflineReceipt } from '../../../decode/evm/offline/findReceipts.ts'
import {
  findUnclaimed,
  sharesOf,
  type UnclaimedLog,
} from '../../../decode/evm/offline/findUnclaimed.ts'
import { createUnclaimedTopics } from '../../../decode/evm/unclaimedTopics.ts'
import type { UnclaimedLogs } from '../../../model/evm/unclaimedLogs.ts'
import type { SwapLine } from '../../../model/swapLine.ts'
import { knownVenues } from '../../../venues/evm/venues.ts'
import { type AskedNode, askNode } from '../../doctor/askNode.ts'
import { ProbeFailedError } from '../../errors.ts'
import { type ChainTerms, describerOf } from '../decodeReceipts.ts'
import { type NodeAbilities, probeNode, readBlock } from './probeNode.ts'

export type ProbeOptions = {
  url: string
  /** Newest blocks that are decoded. */
  blocks: number
  /** Chains that the config describes, beside those with a preset. @default none */
  chains?: Config['chains'] | undefined
}

export type ProbeReport = {
  node: NodeAbilities
  /** By the id of its chain; null: nothing is known of it, and a config has to say what is to be indexed. */
  chain: { name: string; dexes: string[]; launch_platforms: string[] } | null
  sample: {
    from_block: number
    to_block: number
    logs: number
    swaps: number
    /** Swaps by venue, most first. */
    venues: Record<string, number>
    examples: SwapLine[]
    unclaimed: Unclaimed
  } | null
}

/** Logs that look like swaps and that no venue reads. */
type Unclaimed = {
  logs: number
  /** Of all logs that look like swaps, those that venues read among them: 0 is none of them. */
  share: number
  /** Transactions with such a log, of all in which somebody traded. */
  share_of_transactions: number
  by: { topic0: string; contract: string; logs: number }[]
  /** Logs of known factories, managers and launch platforms, whatever they look like. */
  topics: UnclaimedLogs[]
}

const timeoutMs = 10_000
const examplesMax = 5
const unclaimedListedMax = 20

/** What an endpoint is and can do, what would be indexed of its chain, and what is decoded of its newest blocks. */
export async function probe({ url, blocks, chains }: ProbeOptions): Promise<ProbeReport> {
  const address = URL.canParse(url) ? new URL(url) : null
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new ProbeFailedError({ host: url.slice(0, 80), reason: 'It is no http address.' })
  const node = askNode(address, { timeoutMs, limits: evmAnswerLimits })
  try {
    const abilities = await probeNode(node, address)
    const known = findChain(String(abilities.chain_id), chains)
    const terms = (known?.terms ?? null) as ChainTerms | null
    return {
      node: abilities,
      chain: known && chainOf(known.name, known.terms as ChainTerms),
      sample: await sampleOf(node, abilities, terms, blocks),
    }
  } finally {
    node.close()
  }
}

function chainOf(name: string, { factories = [], launch_platforms: platforms = [] }: ChainTerms) {
  const unique = (words: readonly string[]) => [...new Set(words)]
  return {
    name,
    dexes: unique(factories.map(({ amm }) => amm)),
    launch_platforms: unique(platforms.map(({ platform }) => platform)),
  }
}

/** Null: it gives neither receipts nor logs. */
async function sampleOf(
  node: AskedNode,
  { head, receipts: hasReceipts, log_range_blocks: range }: NodeAbilities,
  terms: ChainTerms | null,
  blocks: number,
): Promise<ProbeReport['sample']> {
  if (!hasReceipts && range === 0) return null
  const receipts: OfflineReceipt[] = []
  let oldest = head
  for (let left = blocks; left > 0; left--) {
    receipts.unshift(...(await receiptsOf(node, oldest.hash, hasReceipts)))
    const parent =
      left > 1 ? await node.ask('eth_getBlockByHash', [oldest.parent_hash, false]) : null
    const before = readBlock(parent)
    if (before === null) break
    oldest = before
  }
  const lines = describerOf(terms).describe(receipts)
  const venues = countsOf(lines.map(({ venue }) => venue))
  return {
    from_block: oldest.number,
    to_block: head.number,
    logs: receipts.reduce((sum, { logs }) => sum + logs.length, 0),
    swaps: lines.length,
    venues: Object.fromEntries(venues),
    examples: lines.slice(0, examplesMax),
    unclaimed: {
      ...unclaimedOf(findUnclaimed(receipts, lines), lines),
      topics: unclaimedTopicsOf(receipts, terms),
    },
  }
}

async function receiptsOf(
  node: AskedNode,
  blockHash: string,
  hasReceipts: boolean,
): Promise<OfflineReceipt[]> {
  const answer = hasReceipts
    ? await node.ask('eth_getBlockReceipts', [blockHash])
    : { logs: await node.ask('eth_getLogs', [{ blockHash }]) }
  return findReceipts(answer) ?? []
}

function unclaimedTopicsOf(
  receipts: readonly OfflineReceipt[],
  terms: ChainTerms | null,
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
  lines: readonly SwapLine[],
): Omit<Unclaimed, 'topics'> {
  const { ofLogs, ofTransactions } = sharesOf(logs, lines)
  const counts = countsOf(logs.map(({ topic0, contract }) => `${topic0} ${contract}`))
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

/** Most first. */
function countsOf(words: readonly string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}
