import { amount, flag, RecordType, text, whole } from './describe.ts'

/** What a token says of itself, cleaned. Ids are dense per chain, given in log order, and given back by a revert. */
export type TokenRecord = {
  id: number
  /** Canonical text of its kind of chain. */
  address: string
  symbol: string
  name: string
  decimals: number
  /** The token did not answer; symbol, name or decimals are stand-ins and are not asked for again. */
  isUnreadable: boolean
  /** Time of the block the token was first seen in. */
  seenAtS: number
}

/** The address is first: an index finds it there. Symbol and name follow: a search reads both. */
export const tokenType = new RecordType<TokenRecord, 'id'>('id', {
  address: text(''),
  symbol: text(''),
  name: text(''),
  decimals: whole(0),
  isUnreadable: flag(false),
  seenAtS: whole(0),
})

/**
 * The token has not answered yet, so that its decimals are not known and nothing may be priced by them; a late entry
 * brings them. Once it has answered, whatever it said, it has a name or is unreadable.
 */
export function isStandIn({ symbol, name, isUnreadable }: TokenRecord): boolean {
  return symbol === '' && name === '' && !isUnreadable
}

/** Supply of a token after a block, in raw units. Circulating = total - burnt - locked - other. */
export type TokenSupply = {
  tokenId: number
  total: bigint
  /** Held by burn addresses. */
  burnt: bigint
  /** Held by known lockers. */
  locked: bigint
  /** Held by addresses the config names as out of circulation. */
  other: bigint
  holders: number
  /** False until every transfer since the token's creation has been counted. */
  isComplete: boolean
}

export const supplyType = new RecordType<TokenSupply, 'tokenId'>('tokenId', {
  isComplete: flag(false),
  holders: whole(0),
  total: amount(0n),
  burnt: amount(0n),
  locked: amount(0n),
  other: amount(0n),
})

/** Until the token has said how much of it there is, the total of one that was there before us is 0. */
export function isTotalKnown<supply extends Pick<TokenSupply, 'total' | 'isComplete'>>(
  supply: supply | null,
): supply is supply {
  return supply !== null && (supply.isComplete || supply.total > 0n)
}
