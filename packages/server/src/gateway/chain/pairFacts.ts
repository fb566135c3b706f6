import { strict as assert } from 'node:assert'
import type { MarketReads } from '../../engine/marketReads.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { TokenRecord } from '../../model/token.ts'

/**
 * Token data for pushes, as JSON texts. One object per token, because late facts change it in
 * place.
 */
export type TokenFacts = {
  id: number
  address: string
  addressJson: string
  symbolJson: string
  nameJson: string
  decimals: number
}

/** Data of a pair that pushes contain and that never changes, as JSON texts. */
export type PairFacts = {
  pairId: number
  address: string
  addressJson: string
  /** `<pair>-<chain>`, the pair's id in the API. */
  idJson: string
  chainJson: string
  ammJson: string
  /** Launch platform of the pair's bonding curve, or an empty text. */
  tagJson: string
  token0: TokenFacts
  token1: TokenFacts
  is0Target: boolean
  target: TokenFacts
  nativeDecimals: number
  createdAtS: number
  isTrusted: boolean
}

type FactsSource = { reads: MarketReads; profile: ChainProfile }

/**
 * Facts of the pairs in use, by pair id. A revert frees ids, so `clear` must follow every revert.
 */
export class PairFactsCache {
  readonly #chain: FactsSource
  readonly #factsMax: number
  readonly #pairs = new Map<number, PairFacts>()
  readonly #tokens = new Map<number, TokenFacts>()

  constructor(chain: FactsSource, factsMax: number) {
    this.#chain = chain
    this.#factsMax = factsMax
  }

  get(pairId: number): PairFacts {
    const known = this.#pairs.get(pairId)
    if (known !== undefined) return known
    if (this.#pairs.size >= this.#factsMax) this.clear()
    const made = this.#make(pairId)
    this.#pairs.set(pairId, made)
    return made
  }

  token(tokenId: number): TokenFacts {
    const known = this.#tokens.get(tokenId)
    if (known !== undefined) return known
    if (this.#tokens.size >= 2 * this.#factsMax) this.clear()
    const made = tokenFactsOf(this.#chain.reads.tokenRecord(tokenId))
    this.#tokens.set(tokenId, made)
    return made
  }

  /** Updates a token whose record was completed after its block, by late facts. */
  setToken(record: TokenRecord): void {
    const known = this.#tokens.get(record.id)
    if (known !== undefined) Object.assign(known, tokenFactsOf(record))
  }

  clear(): void {
    this.#pairs.clear()
    this.#tokens.clear()
  }

  #make(pairId: number): PairFacts {
    const { reads, profile } = this.#chain
    const record = reads.pairRecord(pairId)
    assert(record.id === pairId, 'a pair id finds its own record')
    const token0 = this.token(record.token0Id)
    const token1 = this.token(record.token1Id)
    const is0Target = reads.targetTokenOf(pairId) === record.token0Id
    return {
      pairId,
      address: record.address,
      addressJson: JSON.stringify(record.address),
      idJson: JSON.stringify(`${record.address}-${profile.name}`),
      chainJson: JSON.stringify(profile.name),
      ammJson: JSON.stringify(record.amm),
      tagJson: JSON.stringify(record.platform ?? ''),
      token0,
      token1,
      is0Target,
      target: is0Target ? token0 : token1,
      nativeDecimals: profile.native.decimals,
      createdAtS: record.createdAtS,
      isTrusted: record.isTrusted,
    }
  }
}

function tokenFactsOf({ id, address, symbol, name, decimals }: TokenRecord): TokenFacts {
  return {
    id,
    address,
    addressJson: JSON.stringify(address),
    symbolJson: JSON.stringify(symbol),
    nameJson: JSON.stringify(name),
    decimals,
  }
}

/** Fields about both tokens of a pair, shared by several kinds of pushes. */
export function pairTokenFields({ token0, token1, target }: PairFacts) {
  return {
    target_token: target.addressJson,
    token0_address: token0.addressJson,
    token0_decimal: `${token0.decimals}`,
    token0_symbol: token0.symbolJson,
    token1_address: token1.addressJson,
    token1_decimal: `${token1.decimals}`,
    token1_symbol: token1.symbolJson,
  }
}
