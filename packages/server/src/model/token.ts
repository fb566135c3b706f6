import { amountField, flagField, RecordCodec, textField, wholeField } from './recordType.ts'

/**
 * A token's own metadata, cleaned. Ids are dense per chain, assigned in log order, and freed by a
 * revert.
 */
export type TokenRecord = {
  id: number
  /** Canonical text of the address in the chain's format. */
  address: string
  symbol: string
  name: string
  decimals: number
  /**
   * The token did not answer properly: symbol, name or decimals are placeholders and are not
   * requested again.
   */
  isUnreadable: boolean
  /** Time of the block the token was first seen in. */
  seenAtS: number
}

/**
 * Field order: the address comes first for the index, then symbol and name, which a search reads.
 */
export const tokenCodec = new RecordCodec<TokenRecord, 'id'>('id', {
  address: textField(''),
  symbol: textField(''),
  name: textField(''),
  decimals: wholeField(0),
  isUnreadable: flagField(false),
  seenAtS: wholeField(0),
})

/**
 * True while the token has not answered: its decimals are unknown, so it must not set prices, and a
 * late entry updates them. A token that answered has a name or is unreadable.
 */
export function hasPlaceholderMetadata({ symbol, name, isUnreadable }: TokenRecord): boolean {
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

export const supplyCodec = new RecordCodec<TokenSupply, 'tokenId'>('tokenId', {
  isComplete: flagField(false),
  holders: wholeField(0),
  total: amountField(0n),
  burnt: amountField(0n),
  locked: amountField(0n),
  other: amountField(0n),
})

/**
 * Returns false while the supply is unknown: until a token older than its first indexed block
 * reports its supply, the total is 0.
 */
export function isTotalSupplyKnown<supply extends Pick<TokenSupply, 'total' | 'isComplete'>>(
  supply: supply | null,
): supply is supply {
  return supply !== null && (supply.isComplete || supply.total > 0n)
}
