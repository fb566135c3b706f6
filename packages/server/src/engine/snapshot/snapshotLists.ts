import type { PairShares, TokenCreation } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord, TokenSupply } from '../../model/token.ts'
import {
  amountField,
  countField,
  type FieldsOf,
  listField,
  nameField,
  numberField,
  textField,
  truthField,
  wordField,
} from './recordFields.ts'

// How the records of the catalog are written. What a field has for a fallback is what records of earlier versions get.

export const tokenFields: FieldsOf<TokenRecord, 'id'> = {
  address: textField,
  symbol: textField,
  name: textField,
  decimals: numberField(),
  isUnreadable: truthField(false),
  seenAtS: numberField(),
}

/** Only of tokens whose supply is known. */
export const supplyFields: FieldsOf<TokenSupply> = {
  tokenId: numberField(),
  total: amountField,
  burnt: amountField,
  locked: amountField,
  other: amountField,
  holders: numberField(),
  isComplete: truthField(false),
}

export const pairFields: FieldsOf<PairRecord, 'id'> = {
  address: textField,
  kind: nameField('constantProduct'),
  token0Id: numberField(),
  token1Id: numberField(),
  factory: nameField(''),
  amm: nameField(''),
  isTrusted: truthField(false),
  feePpm: countField,
  createdAtS: numberField(),
  platform: wordField,
  venue: nameField(''),
  params: listField(BigInt),
  pool: wordField,
  otherIds: listField(Number),
}

/** Pairs that were discovered late and whose creation was looked for. */
export type SearchedPair = { pairId: number }

export const searchedPairFields: FieldsOf<SearchedPair> = { pairId: numberField() }

/** Only of tokens whose creation was looked for. */
export const tokenCreationFields: FieldsOf<TokenCreation> = {
  tokenId: numberField(),
  createdAtS: countField,
}

/** Only of pairs whose shares were told. */
export const shareFields: FieldsOf<PairShares> = { pairId: numberField(), total: amountField }

/** By row of the launches' table, less 1. */
export type LaunchRecord = { creator: string }

export const launchFields: FieldsOf<LaunchRecord> = { creator: textField }
