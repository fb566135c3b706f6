import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { nativeToken } from '../../../model/pool.ts'
import type { BlockScope } from './blockScope.ts'
import { dataLength, readAddressTopic, readUint } from './hexWords.ts'

// Facts that an event leaves out, from the other logs of its transaction.

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const zeroAddress = `0x${'0'.repeat(40)}`

/** Uniswap V2 and V3: Mint. */
const mintTopics: ReadonlySet<string> = new Set([
  '0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f',
  '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde',
])

/**
 * The address that logs transfers of the native coin as ERC-20 transfers (EIP-7708). It is not a
 * token.
 */
export const nativeTransferLogger = `0x${'f'.repeat(39)}e`

type Transfer = { token: string; from: string; to: string; amount: bigint }

function transferOf({ address, topics, data }: EvmLog): Transfer | null {
  if (topics[0] !== transferTopic || topics.length !== 3 || data.length < dataLength(1)) return null
  if (address === nativeTransferLogger) return null
  const from = readAddressTopic(topics[1]!)
  const to = readAddressTopic(topics[2]!)
  return from && to ? { token: address, from, to, amount: readUint(data, 0) } : null
}

/**
 * The token that a trade with a launch platform was paid in: it moved to or from the platform in
 * one of the amounts. Otherwise the native coin, which moves without a transfer.
 */
export function paymentTokenOf(
  scope: BlockScope,
  trade: { platform: string; token: string; isBuy: boolean; amounts: readonly bigint[] },
): string {
  const { platform, token, isBuy, amounts } = trade
  for (const log of scope.transactionLogs()) {
    const moved = log.address === token ? null : transferOf(log)
    if (moved === null || (isBuy ? moved.to : moved.from) !== platform) continue
    if (moved.amount > 0n && amounts.includes(moved.amount)) return moved.token
  }
  return nativeToken
}

/** Transfers of the transaction before the log, newest first. */
export function transfersBefore(scope: BlockScope, { logIndex }: EvmLog): Transfer[] {
  const before = scope.transactionLogs().filter((log) => log.logIndex < logIndex)
  return before.flatMap((log) => transferOf(log) ?? []).reverse()
}

/** Did the pool receive newly minted shares of this amount and no other token of it? */
export function isPaidInShares(scope: BlockScope, pool: string, amount: bigint): boolean {
  const payers = scope.transactionLogs().flatMap((log) => {
    const moved = transferOf(log)
    return moved?.to === pool && moved.amount === amount && amount > 0n ? moved.from : []
  })
  return payers.length > 0 && payers.every((from) => from === zeroAddress)
}

/** The pool that received the token as liquidity in this transaction; null if none exists. */
export function poolWithFirstLiquidity(scope: BlockScope, token: string): string | null {
  const logs = scope.transactionLogs()
  const payees = new Set(
    logs.flatMap((log) => (log.address === token ? (transferOf(log)?.to ?? []) : [])),
  )
  const mint = logs.find(({ address, topics }) => mintTopics.has(topics[0]!) && payees.has(address))
  return mint?.address ?? null
}

/**
 * The log nearest to the given one among those of this kind that the same contract emitted in the
 * transaction and `isMeant` accepts.
 */
export function nearestLog(
  scope: BlockScope,
  of: EvmLog,
  topic0: string,
  isMeant: (log: EvmLog) => boolean,
): EvmLog | null {
  const distance = ({ logIndex }: EvmLog) => Math.abs(logIndex - of.logIndex)
  let nearest: EvmLog | null = null
  for (const log of scope.transactionLogs()) {
    if (log.topics[0] !== topic0 || log.address !== of.address || !isMeant(log)) continue
    if (nearest === null || distance(log) < distance(nearest)) nearest = log
  }
  return nearest
}
