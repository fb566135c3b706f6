import type { UsdReason } from '@chaintape/protocol'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { BlockTime } from '../../model/block.ts'
import type { TradeEvent } from '../recent/recentBlock.ts'
import { poolReason } from '../rows/usdReason.ts'
import type { PairFacts } from './pairFacts.ts'
import type { PushPlace } from './push.ts'

/** A trade where it happened. */
export type PlacedTrade<event extends TradeEvent = TradeEvent> = {
  facts: PairFacts
  event: event
  blockNumber: number
  place: PushPlace
  sentMs: number
  mark: ResultMark
} & BlockTime

/** The part of it that the fields of a trade are made of. */
export type TradePlace = Pick<PlacedTrade, 'blockNumber' | 'timeS' | 'timeMs'>

/** Milliseconds as a member; null: left out. */
export function timeMsText(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : `${timeMs}`
}

/** Why something is sent that is no news; empty: it is. */
export type ResultMark = '' | 'retracted' | 'snapshot'

const noMarks = { snapshot: null, retracted: null } as const

/** The same as members of a result. */
export function marksOf(mark: ResultMark): { snapshot: string | null; retracted: string | null } {
  return mark === '' ? noMarks : { ...noMarks, [mark]: 'true' }
}

// Hex and base58 need no escaping; a look is cheaper than JSON.stringify.
const plainText = /^[0-9A-Za-z_.:-]*$/

/** A JSON string of a text that is nearly always an address or a hash. */
export function jsonWord(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** The size of an amount in raw units, as whole ones. */
export function amountText(raw: bigint, decimals: number): string {
  return decimalOfRaw(raw < 0n ? -raw : raw, decimals)
}

const valueE8Decimals = 8

/** An integer count of 1e-8 USD. */
export function usdE8Text(usdE8: number): string {
  return decimalOfRaw(BigInt(usdE8), valueE8Decimals)
}

type PushedWorth = {
  usdE8: number
  nativeRaw: bigint
  /** Why both are 0; null: they count. */
  reason: UsdReason | null
}

const noWorth: PushedWorth = { usdE8: 0, nativeRaw: 0n, reason: poolReason(false) }

/**
 * What a push says that an event is worth: nothing on an untrusted pool. Events that are replayed from the store may be
 * older than that rule.
 */
export function pushedWorth(
  { isTrusted }: PairFacts,
  { amountUsdE8, amountNativeRaw }: Pick<TradeEvent, 'amountUsdE8' | 'amountNativeRaw'>,
): PushedWorth {
  return isTrusted ? { usdE8: amountUsdE8, nativeRaw: amountNativeRaw, reason: null } : noWorth
}
