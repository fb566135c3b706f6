import assert from 'node:assert'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PairCreation, PairShares, TokenCreation } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import { isStandIn, type TokenRecord, type TokenSupply } from '../../model/token.ts'
import { Versions } from '../tables/versions.ts'
import { SearchIndex } from './searchIndex.ts'

/** The quote assets, most preferred first, without doubles. */
export function quoteList(profile: ChainProfile): readonly string[] {
  const { wrappedToken, coin } = profile.native
  const natives = coin === undefined ? [wrappedToken] : [wrappedToken, coin]
  return [...new Set([...profile.quotes, ...natives, ...profile.stables])]
}

/** In the place of a time: it was looked for, and nobody can tell. */
const inVain = -1

/** What tokens and pairs say of themselves, by id and by address. */
export class Catalog {
  readonly tokens = new Versions<TokenRecord>()
  readonly supplies = new Versions<TokenSupply | null>()
  readonly pairs: PairRecord[] = []
  /** Of pools that give some; null: not told. */
  readonly shares = new Versions<bigint | null>()
  /** Pairs that were discovered late and whose creation was looked for since, whether it was found or not. */
  readonly searchedPairs = new Set<number>()
  readonly tokenIds = new Map<string, number>()
  readonly pairIds = new Map<string, number>()
  readonly search = new SearchIndex()
  /** Trusted pools of the native coin, wrapped or not, and a stablecoin, ids ascending. */
  readonly nativePools: number[] = []
  /** Tokens whose decimals late facts brought since the last block: the next one prices their pairs. */
  readonly rescaled = new Set<number>()
  readonly quotes: readonly string[]
  private readonly quoteIndexes: ReadonlyMap<string, number>
  /** By token id; -1 when the token is not a quote asset. */
  private quoteIndexOfToken = new Int16Array(1 << 10)
  /** By token id: a lookup per event must not go through the records. */
  private decimalsOfToken = new Uint8Array(1 << 10)
  /** By token id, when its contract was made; 0: nobody looked for it yet, `inVain`: nobody can tell. */
  private creationOfToken = new Float64Array(1 << 10)
  // Records come off the log with copies of the same few words.
  private readonly words = new Map<string, string>()

  constructor(profile: ChainProfile) {
    this.quotes = quoteList(profile)
    this.quoteIndexes = new Map(this.quotes.map((address, index) => [address, index]))
  }

  addToken(record: TokenRecord): void {
    const { id } = record
    assert.equal(id, this.tokens.current.length, 'token ids are dense')
    this.tokens.push(record)
    this.supplies.push(null)
    this.tokenIds.set(record.address, id)
    if (id >= this.quoteIndexOfToken.length) {
      const grown = new Int16Array(this.quoteIndexOfToken.length * 2)
      grown.set(this.quoteIndexOfToken)
      this.quoteIndexOfToken = grown
      const grownDecimals = new Uint8Array(grown.length)
      grownDecimals.set(this.decimalsOfToken)
      this.decimalsOfToken = grownDecimals
      const grownCreations = new Float64Array(grown.length)
      grownCreations.set(this.creationOfToken)
      this.creationOfToken = grownCreations
    }
    this.decimalsOfToken[id] = record.decimals
    this.quoteIndexOfToken[id] = this.quoteIndexes.get(record.address) ?? -1
    this.search.add(id, record)
  }

  addPair(record: PairRecord): void {
    assert.equal(record.id, this.pairs.length, 'pair ids are dense')
    const { platform } = record
    this.pairs.push({
      ...record,
      factory: this.word(record.factory),
      amm: this.word(record.amm),
      platform: platform === null ? null : this.word(platform),
    })
    this.pairIds.set(record.address, record.id)
    this.shares.push(null)
  }

  /** False: it is known, or the pair is not. */
  setCreation({ pairId, createdAtS }: PairCreation): boolean {
    const pair = this.pairs[pairId]
    if (pair === undefined || pair.createdAtS !== 0 || this.searchedPairs.has(pairId)) return false
    this.searchedPairs.add(pairId)
    this.pairs[pairId] = { ...pair, createdAtS: createdAtS ?? 0 }
    return true
  }

  revertCreation(pairId: number): void {
    this.searchedPairs.delete(pairId)
    this.pairs[pairId] = { ...this.pairs[pairId]!, createdAtS: 0 }
  }

  /** False: it was looked for before, or the token is not known. */
  setTokenCreation({ tokenId, createdAtS }: TokenCreation): boolean {
    if (tokenId >= this.tokens.current.length || this.creationOfToken[tokenId] !== 0) return false
    this.creationOfToken[tokenId] = createdAtS || inVain
    return true
  }

  revertTokenCreation(tokenId: number): void {
    this.creationOfToken[tokenId] = 0
  }

  /** Unix seconds, null: nobody can tell, undefined: it was not looked for yet. */
  tokenCreation(tokenId: number): number | null | undefined {
    const atS = this.creationOfToken[tokenId]!
    if (atS === 0) return undefined
    return atS === inVain ? null : atS
  }

  setShares({ pairId, total }: PairShares, number: number | null): void {
    if (number === null) this.shares.setBase(pairId, total)
    else this.shares.set(pairId, number, total)
  }

  /** It was there before we knew it. */
  isLate(pairId: number): boolean {
    return this.pairs[pairId]!.createdAtS === 0 || this.searchedPairs.has(pairId)
  }

  quoteIndex(tokenId: number): number {
    return this.quoteIndexOfToken[tokenId]!
  }

  decimals(tokenId: number): number {
    return this.decimalsOfToken[tokenId]!
  }

  /** The token has said how many decimals it has, or will never say. */
  isScaled(tokenId: number): boolean {
    return !isStandIn(this.tokens.current[tokenId]!)
  }

  setToken(record: TokenRecord, number: number | null): void {
    this.changeToken(record.id, () => {
      if (number === null) this.tokens.setBase(record.id, record)
      else this.tokens.set(record.id, number, record)
    })
  }

  revertToken(id: number, number: number): void {
    this.changeToken(id, () => this.tokens.revert(id, number))
  }

  setSupply(supply: TokenSupply, number: number | null): void {
    if (number === null) this.supplies.setBase(supply.tokenId, supply)
    else this.supplies.set(supply.tokenId, number, supply)
  }

  truncate(tokenCount: number, pairCount: number): void {
    for (const { address, id } of this.pairs.slice(pairCount)) {
      this.pairIds.delete(address)
      this.searchedPairs.delete(id)
    }
    this.pairs.length = pairCount
    this.shares.truncate(pairCount)
    while ((this.nativePools.at(-1) ?? -1) >= pairCount) this.nativePools.pop()
    for (let id = this.tokens.current.length - 1; id >= tokenCount; id -= 1) {
      const record = this.tokens.current[id]!
      this.tokenIds.delete(record.address)
      this.search.remove(id, record)
      this.rescaled.delete(id)
      this.creationOfToken[id] = 0
    }
    this.tokens.truncate(tokenCount)
    this.supplies.truncate(tokenCount)
  }

  private changeToken(id: number, change: () => void): void {
    const before = this.tokens.current[id]!
    change()
    const after = this.tokens.current[id]!
    assert.equal(after.address, before.address, 'a better record is of the same token')
    if (before === after) return
    this.decimalsOfToken[id] = after.decimals
    if (isStandIn(after)) this.rescaled.delete(id)
    else if (isStandIn(before)) this.rescaled.add(id)
    this.search.remove(id, before)
    this.search.add(id, after)
  }

  private word(text: string): string {
    const known = this.words.get(text)
    if (known !== undefined) return known
    this.words.set(text, text)
    return text
  }
}
