import assert from 'node:assert'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PairCreation, PairShares, TokenCreation } from '../../model/logEntry.ts'
import { type PairRecord, pairCodec } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import { hasPlaceholderMetadata, type TokenRecord, tokenCodec } from '../../model/token.ts'
import type { ImagePart } from '../pages/imagePart.ts'
import { imageBytes, imageWords } from '../pages/imagePart.ts'
import { Records, type RecordsOptions } from '../records/records.ts'
import { Supplies } from '../records/supplies.ts'
import { RevertibleValues, Revisions } from '../tables/revertibleValues.ts'
import { isNamedBy, SearchIndex, type SearchTerms, termLengthMax } from './searchIndex.ts'
import { TokenProperties } from './tokenProperties.ts'

/** Addresses of the quote assets, most preferred first, without duplicates. */
export function quoteAddresses(profile: ChainProfile): readonly string[] {
  const { wrappedToken, coin } = profile.native
  const natives = coin === undefined ? [wrappedToken] : [wrappedToken, coin]
  return [...new Set([...profile.quotes, ...natives, ...profile.stables])]
}

/** Records of tokens and pairs, by id and by address, with their supplies and search index. */
export class Catalog implements ImagePart {
  readonly name = 'catalog'
  readonly supplies: Supplies
  /** Number of changes to each token's record. */
  readonly tokenRevisions = new Revisions()
  /**
   * Pairs discovered after their creation whose creation block was already searched, found or not.
   */
  readonly searchedPairs = new Set<number>()
  /** Finds tokens by words; null if this process never searches. */
  readonly search: SearchIndex | null
  /** Ids of trusted pools of the native coin, wrapped or not, with a stablecoin, ascending. */
  readonly nativePools: number[] = []
  /**
   * Tokens whose decimals arrived as late facts since the last block; the next block prices their
   * pairs.
   */
  readonly rescaledTokens = new Set<number>()
  readonly quotes: readonly string[]
  readonly tokens: Records<TokenRecord>
  /** Token records reported by blocks that can still be reverted. */
  readonly #tokenVersions: RevertibleValues<TokenRecord>
  readonly pairs: Records<PairRecord>
  /** Total shares of pools, by pair id, as of final blocks. Only pools that issue shares. */
  readonly #finalShares = new Map<number, bigint>()
  readonly #shares = new RevertibleValues<bigint | null>({
    get: (id) => this.#finalShares.get(id) ?? null,
    set: (id, total) => {
      if (total === null) this.#finalShares.delete(id)
      else this.#finalShares.set(id, total)
    },
  })
  readonly #quoteIndexes: ReadonlyMap<string, number>
  /** Token id of each quote asset, indexed like `quotes`; -1 while the token is unknown. */
  readonly #quoteTokens: number[]
  readonly #tokenProperties = new TokenProperties()

  constructor(profile: ChainProfile, options: RecordsOptions) {
    this.supplies = new Supplies(options.memory)
    this.search = options.isIndexed ? new SearchIndex(options.memory) : null
    this.tokens = new Records('token', tokenCodec, options)
    this.#tokenVersions = new RevertibleValues<TokenRecord>(this.tokens)
    this.pairs = new Records('pair', pairCodec, options)
    this.quotes = quoteAddresses(profile)
    this.#quoteIndexes = new Map(this.quotes.map((address, index) => [address, index]))
    this.#quoteTokens = this.quotes.map(() => -1)
  }

  get tokenCount(): number {
    return this.tokens.count
  }

  get pairCount(): number {
    return this.pairs.count
  }

  token(id: number): TokenRecord {
    return this.#tokenVersions.get(id)
  }

  pair(id: number): PairRecord {
    return this.pairs.get(id)
  }

  /** Words of a token that a search compares, for a caller that reads many tokens once. */
  termsOf(id: number): SearchTerms {
    const newest = this.#tokenVersions.newestRevertible(id)
    if (newest !== undefined) return newest
    const reader = this.tokens.seek(id, 'address')
    // Symbol and name are stored right after the address.
    return { address: reader.text(), symbol: reader.text(), name: reader.text() }
  }

  findToken(address: string): number | undefined {
    return this.tokens.find(address)
  }

  findPair(address: string): number | undefined {
    return this.pairs.find(address)
  }

  /** True if the symbol or name of a token equals this word, which must be lower case. */
  isNamed(id: number, word: string): boolean {
    return this.#isNamedInBytes(id, word) ?? isNamedBy(this.termsOf(id), word)
  }

  /** Tokens whose address in lower case equals this one, ascending. */
  idsOf(lowerAddress: string): readonly number[] {
    return this.tokens.findAnyCase(lowerAddress)
  }

  /** Name of the launch platform if the pair is a curve; null otherwise. */
  platform(pairId: number): string | null {
    return this.pairs.seek(pairId, 'platform').wordOrNull()
  }

  /** True if a configured factory confirms the pool. */
  isTrusted(pairId: number): boolean {
    return this.pairs.seek(pairId, 'isTrusted').flag()
  }

  pairKind(pairId: number): PoolKind {
    return this.pairs.seek(pairId, 'kind').word() as PoolKind
  }

  /** Creation time of a pair; 0 if unknown. */
  pairCreatedAtS(pairId: number): number {
    return this.pairs.seek(pairId, 'createdAtS').whole()
  }

  addToken(record: TokenRecord): void {
    this.tokens.push(record)
    this.supplies.addUnknown()
    this.#indexToken(record)
  }

  /** Adds the next token as bytes, in the layout that `tokens` stores. */
  addTokenBytes(bytes: Uint8Array): void {
    this.tokens.pushBytes(bytes)
    this.supplies.addUnknown()
    this.#indexToken(this.tokens.read(this.tokens.count - 1))
  }

  #indexToken(record: TokenRecord): void {
    const { id } = record
    const quoteIndex = this.#quoteIndexes.get(record.address) ?? -1
    this.#tokenProperties.push(record, quoteIndex)
    if (quoteIndex >= 0) this.#quoteTokens[quoteIndex] = id
    this.search?.add(id, record)
  }

  addPair(record: PairRecord): void {
    this.pairs.push(record)
  }

  /**
   * Stores the creation time of a pair discovered later. False if it is known already or the pair
   * is unknown.
   */
  setCreation({ pairId, createdAtS }: PairCreation): boolean {
    if (pairId >= this.pairs.count || this.searchedPairs.has(pairId)) return false
    if (this.pairCreatedAtS(pairId) !== 0) return false
    this.searchedPairs.add(pairId)
    this.pairs.set(pairId, { ...this.pairs.read(pairId), createdAtS: createdAtS ?? 0 })
    return true
  }

  revertCreation(pairId: number): void {
    this.searchedPairs.delete(pairId)
    this.pairs.set(pairId, { ...this.pairs.read(pairId), createdAtS: 0 })
  }

  /**
   * Stores the creation time of a token's contract. False if that was reported before or the token
   * is unknown.
   */
  setTokenCreation({ tokenId, createdAtS }: TokenCreation): boolean {
    if (tokenId >= this.tokens.count || this.#tokenProperties.creation(tokenId) !== undefined)
      return false
    this.#tokenProperties.setCreation(tokenId, createdAtS)
    return true
  }

  revertTokenCreation(tokenId: number): void {
    this.#tokenProperties.setCreation(tokenId, undefined)
  }

  /**
   * Creation time of a token's contract in Unix seconds: null if no node can report it, undefined
   * if it was not searched yet.
   */
  tokenCreation(tokenId: number): number | null | undefined {
    return this.#tokenProperties.creation(tokenId)
  }

  setShares({ pairId, total }: PairShares, number: number | null): void {
    if (number === null) this.#shares.setFinal(pairId, total)
    else this.#shares.set(pairId, number, total)
  }

  revertShares(pairId: number, number: number): void {
    this.#shares.revert(pairId, number)
  }

  finalizeShares(pairId: number, number: number): void {
    this.#shares.finalize(pairId, number)
  }

  /** Total shares of a pool in raw units; null if unknown. */
  pairShares(pairId: number): bigint | null {
    return this.#shares.get(pairId)
  }

  /** Known total shares of all pools, ordered by pair id. */
  allShares(): PairShares[] {
    const ids = new Set([...this.#finalShares.keys(), ...this.#shares.revertibleIds()])
    return [...ids]
      .sort((a, b) => a - b)
      .flatMap((pairId) => {
        const total = this.#shares.get(pairId)
        return total === null ? [] : [{ pairId, total }]
      })
  }

  /** Creation times of all tokens for which they were searched, ordered by id. */
  allTokenCreations(): TokenCreation[] {
    const creations: TokenCreation[] = []
    for (let tokenId = 0; tokenId < this.tokens.count; tokenId += 1) {
      const createdAtS = this.tokenCreation(tokenId)
      if (createdAtS !== undefined) creations.push({ tokenId, createdAtS })
    }
    return creations
  }

  /** True if the pair was discovered after its creation. */
  isLate(pairId: number): boolean {
    return this.searchedPairs.has(pairId) || this.pairCreatedAtS(pairId) === 0
  }

  quoteIndex(tokenId: number): number {
    return this.#tokenProperties.quoteIndex(tokenId)
  }

  /** Token id of the quote asset at a position of the list; -1 while the token is unknown. */
  quoteToken(quoteIndex: number): number {
    return this.#quoteTokens[quoteIndex]!
  }

  decimals(tokenId: number): number {
    return this.#tokenProperties.decimals(tokenId)
  }

  /** True if the token's decimals are known, or its contract will never report any. */
  isScaled(tokenId: number): boolean {
    return !this.#tokenProperties.isStandIn(tokenId)
  }

  setToken(record: TokenRecord, number: number | null): void {
    this.#changeToken(record.id, () => {
      if (number === null) this.#tokenVersions.setFinal(record.id, record)
      else this.#tokenVersions.set(record.id, number, record)
    })
  }

  revertToken(id: number, number: number): void {
    this.#changeToken(id, () => this.#tokenVersions.revert(id, number))
  }

  finalizeToken(id: number, number: number): void {
    this.#tokenVersions.finalize(id, number)
  }

  truncate(tokenCount: number, pairCount: number): void {
    for (let id = pairCount; id < this.pairs.count; id += 1) {
      this.searchedPairs.delete(id)
      this.#shares.remove(id)
      this.#finalShares.delete(id)
    }
    this.pairs.truncate(pairCount)
    while ((this.nativePools.at(-1) ?? -1) >= pairCount) this.nativePools.pop()
    for (let id = this.tokens.count - 1; id >= tokenCount; id -= 1) {
      this.search?.remove(id, this.termsOf(id))
      this.#tokenVersions.remove(id)
      this.tokenRevisions.increment(id)
      this.rescaledTokens.delete(id)
      const quoteIndex = this.#tokenProperties.quoteIndex(id)
      if (quoteIndex >= 0) this.#quoteTokens[quoteIndex] = -1
    }
    this.tokens.truncate(tokenCount)
    this.supplies.truncate(tokenCount)
    this.#tokenProperties.truncate(tokenCount)
  }

  imageParts(): readonly ImagePart[] {
    const { tokens, supplies, pairs, search } = this
    const tokenProperties = this.#tokenProperties
    const parts = [
      ...tokens.imageParts(),
      ...supplies.imageParts(),
      ...pairs.imageParts(),
      tokenProperties,
      this,
    ]
    return search === null ? parts : [...parts, ...search.imageParts()]
  }

  imageFields(): Map<string, Uint8Array> {
    return new Map([
      ['quoteTokens', imageBytes(Int32Array.from(this.#quoteTokens))],
      ['nativePools', imageBytes(Int32Array.from(this.nativePools))],
      ['rescaled', imageBytes(Int32Array.from(this.rescaledTokens))],
    ])
  }

  fillFromImage(fields: ReadonlyMap<string, Uint8Array>): void {
    const idsOf = (name: string) => Int32Array.from(imageWords(fields, name))
    this.#quoteTokens.splice(0, Number.POSITIVE_INFINITY, ...idsOf('quoteTokens'))
    this.nativePools.push(...idsOf('nativePools'))
    for (const id of idsOf('rescaled')) this.rescaledTokens.add(id)
  }

  /**
   * Compares symbol and name in the stored bytes; undefined if only the decoded record can decide.
   */
  #isNamedInBytes(id: number, word: string): boolean | undefined {
    if (this.#tokenVersions.newestRevertible(id) !== undefined) return undefined
    const reader = this.tokens.seek(id, 'symbol')
    const isSymbol = reader.isWord(word, termLengthMax)
    // The name is stored right after the symbol.
    return isSymbol === false ? reader.isWord(word, termLengthMax) : isSymbol
  }

  #changeToken(id: number, change: () => void): void {
    const before = this.token(id)
    change()
    this.tokenRevisions.increment(id)
    const after = this.token(id)
    assert.equal(after.address, before.address, 'a better record is of the same token')
    this.#tokenProperties.set(after)
    if (hasPlaceholderMetadata(after)) this.rescaledTokens.delete(id)
    else if (hasPlaceholderMetadata(before)) this.rescaledTokens.add(id)
    if (before.symbol === after.symbol && before.name === after.name) return
    this.search?.remove(id, before)
    this.search?.add(id, after)
  }
}
