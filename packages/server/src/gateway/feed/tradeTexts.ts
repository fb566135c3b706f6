import type { UsdReason } from '@chaintape/protocol'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { BlockTime } from '../../model/block.ts'
import type { PairFacts } from '../chain/pairFacts.ts'
import type { PushPosition, TradeEvent } from '../chain/recentBlock.ts'
import { poolUsdReason } from '../rows/usdReason.ts'

/** A swap or liquidity change with its pair, block and cursor. */
export type LocatedTrade<event extends TradeEvent = TradeEvent> = {
  facts: PairFacts
  event: event
  blockNumber: number
  place: PushPosition
  sentMs: number
  mark: ResultMark
} & BlockTime

/** Block number and time of a trade, which become fields of its JSON. */
export type TradeBlock = Pick<LocatedTrade, 'blockNumber' | 'timeS' | 'timeMs'>

/** Milliseconds of a block's time as JSON text; null leaves the field out. */
export function timeMsText(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : `${timeMs}`
}

/** Why a push reports something other than a new event; empty for a new event. */
export type ResultMark = '' | 'retracted' | 'snapshot'

const noMarks = { snapshot: null, retracted: null } as const

/** Fields `snapshot` and `retracted` of a result, as JSON texts; null leaves a field out. */
export function markFields(mark: ResultMark): {
  snapshot: string | null
  retracted: string | null
} {
  return mark === '' ? noMarks : { ...noMarks, [mark]: 'true' }
}

// Hex and base58 need no escaping, and this test is cheaper than JSON.stringify.
const plainText = /^[0-9A-Za-z_.:-]*$/

/** Encodes a text as a JSON string; fast for addresses and hashes. */
export function jsonString(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** Absolute value of a raw amount, in whole units of its token. */
export function amountText(raw: bigint, decimals: number): string {
  return decimalOfRaw(raw < 0n ? -raw : raw, decimals)
}

const valueE8Decimals = 8

/** Formats an integer count of 1e-8 USD as a decimal number. */
export function usdE8Text(usdE8: number): string {
  return decimalOfRaw(BigInt(usdE8), valueE8Decimals)
}

type PushedValue = {
  usdE8: number
  nativeRaw: bigint
  /** Why both values are 0; null: the values are known. */
  reason: UsdReason | null
}

const zeroValue: PushedValue = { usdE8: 0, nativeRaw: 0n, reason: poolUsdReason(false) }

/**
 * Value of a trade in a push: 0 in an untrusted pool. Checked again here because events replayed
 * from the store may be older than that rule.
 */
export function pushedValue(
  { isTrusted }: PairFacts,
  { amountUsdE8, amountNativeRaw }: Pick<TradeEvent, 'amountUsdE8' | 'amountNativeRaw'>,
): PushedValue {
  return isTrusted ? { usdE8: amountUsdE8, nativeRaw: amountNativeRaw, reason: null } : zeroValue
}
