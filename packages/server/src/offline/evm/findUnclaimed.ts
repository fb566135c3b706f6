import { erc20Decoders } from '../../decode/evm/erc20.ts'
import { orderOwnerDecoders } from '../../decode/evm/orderOwners.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import type { SwapSummary } from '../../model/swapLine.ts'
import { createAddressTexts } from '../../venues/evm/decoding/addressTexts.ts'
import type { OfflineReceipt } from './findReceipts.ts'

/** A log that looks like a swap's and that no venue decodes. */
export type UnclaimedLog = { tx: string; index: number; topic0: string; contract: string }

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const addresses = createAddressTexts()

/**
 * Finds logs of contracts that end a transaction with more of one token and less of another. Pools
 * do; routers pass on what they get. Skips contracts that emitted a known swap in it or execute
 * orders.
 */
export function findUnclaimed(
  receipts: readonly OfflineReceipt[],
  lines: readonly SwapSummary[],
): UnclaimedLog[] {
  const claimed = new Set(lines.map(({ tx, index }) => `${tx} ${index}`))
  return receipts.flatMap(({ txHash: tx, logs }) => {
    const isClaimed = ({ logIndex, topics: [topic0 = ''] }: EvmLog) =>
      claimed.has(`${tx} ${logIndex}`) || topic0 in orderOwnerDecoders
    const known = new Set(logs.filter(isClaimed).map(({ address }) => address))
    const traders = tradersIn(logs)
    return logs.flatMap(({ address: contract, topics: [topic0 = ''], logIndex: index }) => {
      if (known.has(contract) || !traders.has(contract) || isOfToken(topic0)) return []
      return { tx, index, topic0, contract }
    })
  })
}

/**
 * Undecoded parts of all logs that look like swaps, and of all transactions with one. 0 if there
 * are none.
 */
export function sharesOf(
  unclaimed: readonly UnclaimedLog[],
  lines: readonly SwapSummary[],
): { ofLogs: number; ofTransactions: number } {
  const shareOf = (keyOf: (log: { tx: string; index: number }) => string) => {
    const missed = new Set(unclaimed.map(keyOf))
    const all = new Set([...missed, ...lines.map(keyOf)])
    return all.size === 0 ? 0 : missed.size / all.size
  }
  return {
    ofLogs: shareOf(({ tx, index }) => `${tx} ${index}`),
    ofTransactions: shareOf(({ tx }) => tx),
  }
}

/** Token events are never swaps, whichever contract emits them. */
function isOfToken(topic0: string): boolean {
  return topic0 in erc20Decoders || topic0 === approvalTopic
}

const approvalTopic = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'

/** Holders that end with more of one token and less of another. */
function tradersIn(logs: readonly EvmLog[]): ReadonlySet<string> {
  const changes = new Map<string, Map<string, bigint>>()
  const change = (holder: string, token: string, amount: bigint) => {
    const tokens = changes.get(holder) ?? new Map<string, bigint>()
    changes.set(holder, tokens)
    tokens.set(token, (tokens.get(token) ?? 0n) + amount)
  }
  for (const { address, topics, data } of logs) {
    if (topics[0] !== transferTopic || topics.length !== 3 || !/^0x[0-9a-f]{64}/.test(data))
      continue
    const from = addresses.ofTopic(topics[1]!)
    const to = addresses.ofTopic(topics[2]!)
    const amount = BigInt(data.slice(0, 66))
    if (from !== null) change(from, address, -amount)
    if (to !== null) change(to, address, amount)
  }
  const isTrader = (tokens: ReadonlyMap<string, bigint>) => {
    const amounts = [...tokens.values()]
    return amounts.some((amount) => amount > 0n) && amounts.some((amount) => amount < 0n)
  }
  return new Set([...changes].flatMap(([holder, tokens]) => (isTrader(tokens) ? holder : [])))
}
