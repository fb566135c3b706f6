import assert from 'node:assert'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PairCreation, PairShares, TokenCreation } from '../../model/logEntry.ts'
import { type PairRecord, pairType } from '../../model/pair.ts'
import type { PoolKind } from '../../model/pool.ts'
import { isStandIn, type TokenRecord, tokenType } from '../../model/token.ts'
import type { Imaged } from '../pages/imaged.ts'
import { imageBytes, wordsOf } from '../pages/imageFields.ts'
import { Records, type RecordsOptions } from '../records/records.ts'
import { Revisions } from '../records/revisions.ts'
import { Supplies } from '../records/supplies.ts'
import { Versions } from '../tables/versions.ts'
import { SearchIndex } from './searchIndex.ts'
import { isNamedBy, type SearchTerms, termLengthMax } from './searchKeys.ts'
import { TokenColumns } from './tokenColumns.ts'

/** The quote assets, most preferred first, without doubles. */
export function quoteList(profile: ChainProfile): readonly string[] {
  const { wrappedToken, coin } = profile.native
  const natives = coin === undefined ? [wrappedToken] : [wrappedToken, coin]
  return [...new Set([...profile.quotes, ...natives, ...profile.stables])]
}

/** What tokens and pairs say of themselves, by id and by address. */
export class Catalog implements Imaged {
  readonly name = 'catalog'
  readonly supplies: Supplies
  /** Of the records of tokens. */
  readonly revisions = new Revisions()
  /** Pairs that were discovered late and whose creation was looked for since, whether it was found or not. */
  readonly searchedPairs = new Set<number>()
  /** Null: nobody looks for tokens here. */
  readonly search: SearchIndex | null
  /** Trusted pools of the native coin, wrapped or not, and a stablecoin, ids ascending. */
  readonly nativePools: number[] = []
  /** Tokens whose decimals late facts brought since the last block: the next one prices their pairs. */
  readonly rescaled = new Set<number>()
  readonly quotes: readonly string[]
  readonly tokens: Records<TokenRecord>
  /** Records that blocks which can be reverted have brought. */
  private readonly tokenVersions: Versions<TokenRecord>
  readonly pairs: Records<PairRecord>
  /** Of pools that give some. */
  private readonly settledShares = new Map<number, bigint>()
  private readonly shares = new Versions<bigint | null>({
    get: (id) => this.settledShares.get(id) ?? null,
    set: (id, total) => {
      if (total === null) this.settledShares.delete(id)
      else this.settledShares.set(id, total)
    },
  })
  private readonly quoteIndexes: ReadonlyMap<string, number>
  /** By position in `quotes`: the id of the token, -1 while it is not known. */
  private readonly quoteTokens: number[]
  private readonly columns = new TokenColumns()

  constructor(profile: ChainProfile, options: RecordsOptions) {
    this.supplies = new Supplies(options.memory)
    this.search = options.isIndexed ? new SearchIndex(options.memory) : null
    this.tokens = new Records('token', tokenType, options)
    this.tokenVersions = new Versions<TokenRecord>(this.tokens)
    this.pairs = new Records('pair', pairType, options)
    this.quotes = quoteList(profile)
    this.quoteIndexes = new Map(this.quotes.map((address, index) => [address, index]))
    this.quoteTokens = this.quotes.map(() => -1)
  }

  get tokenCount(): number {
    return this.tokens.count
  }

  get pairCount(): number {
    return this.pairs.count
  }

  token(id: number): TokenRecord {
    return this.tokenVersions.get(id)
  }

  pair(id: number): PairRecord {
    return this.pairs.get(id)
  }

  /** The words that a search compares, for a caller that looks at many tokens once. */
  termsOf(id: number): SearchTerms {
    const newest = this.tokenVersions.newest(id)
    if (newest !== undefined) return newest
    const reader = this.tokens.seek(id, 'address')
    // Symbol and name follow.
    return { address: reader.text(), symbol: reader.text(), name: reader.text() }
  }

  findToken(address: string): number | undefined {
    return this.tokens.find(address)
  }

  findPair(address: string): number | undefined {
    return this.pairs.find(address)
  }

  /** Is the symbol or the name of a token this word, which is in lower case? */
  isNamed(id: number, word: string): boolean {
    return this.isStoredNamed(id, word) ?? isNamedBy(this.termsOf(id), word)
  }

  /** Tokens whose address is this one in lower case, ascending. */
  idsOf(lowerAddress: string): readonly number[] {
    return this.tokens.findAnyCase(lowerAddress)
  }

  /** Launch platform word for a curve, else null. */
  platform(pairId: number): string | null {
    return this.pairs.seek(pairId, 'platform').wordOrNull()
  }

  /** Whether the pool is one of a factory of the config that confirms it. */
  isTrusted(pairId: number): boolean {
    return this.pairs.seek(pairId, 'isTrusted').flag()
  }

  pairKind(pairId: number): PoolKind {
    return this.pairs.seek(pairId, 'kind').word() as PoolKind
  }

  /** 0: not known. */
  pairCreatedAtS(pairId: number): number {
    return this.pairs.seek(pairId, 'createdAtS').whole()
  }

  addToken(record: TokenRecord): void {
    this.tokens.push(record)
    this.supplies.push()
    this.tokenAdded(record)
  }

  /** Adds the next token by its bytes, as `tokens` packs them. */
  addTokenBytes(bytes: Uint8Array): void {
    this.tokens.pushBytes(bytes)
    this.supplies.push()
    this.tokenAdded(this.tokens.read(this.tokens.count - 1))
  }

  private tokenAdded(record: TokenRecord): void {
    const { id } = record
    const quoteIndex = this.quoteIndexes.get(record.address) ?? -1
    this.columns.push(record, quoteIndex)
    if (quoteIndex >= 0) this.quoteTokens[quoteIndex] = id
    this.search?.add(id, record)
  }

  addPair(record: PairRecord): void {
    this.pairs.push(record)
  }

  /** False: it is known, or the pair is not. */
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

  /** False: it was looked for before, or the token is not known. */
  setTokenCreation({ tokenId, createdAtS }: TokenCreation): boolean {
    if (tokenId >= this.tokens.count || this.columns.creation(tokenId) !== undefined) return false
    this.columns.setCreation(tokenId, createdAtS)
    return true
  }

  revertTokenCreation(tokenId: number): void {
    this.columns.setCreation(tokenId, undefined)
  }

  /** Unix seconds, null: nobody can tell, undefined: it was not looked for yet. */
  tokenCreation(tokenId: number): number | null | undefined {
    return this.columns.creation(tokenId)
  }

  setShares({ pairId, total }: PairShares, number: number | null): void {
    if (number === null) this.shares.setBase(pairId, total)
    else this.shares.set(pairId, number, total)
  }

  revertShares(pairId: number, number: number): void {
    this.shares.revert(pairId, number)
  }

  finalizeShares(pairId: number, number: number): void {
    this.shares.finalize(pairId, number)
  }

  /** Null: not told. */
  pairShares(pairId: number): bigint | null {
    return this.shares.get(pairId)
  }

  /** By pair. */
  allShares(): PairShares[] {
    const ids = new Set([...this.settledShares.keys(), ...this.shares.heldIds()])
    return [...ids]
      .sort((a, b) => a - b)
      .flatMap((pairId) => {
        const total = this.shares.get(pairId)
        return total === null ? [] : [{ pairId, total }]
      })
  }

  /** Of tokens of which it was looked for, by id. */
  allTokenCreations(): TokenCreation[] {
    const creations: TokenCreation[] = []
    for (let tokenId = 0; tokenId < this.tokens.count; tokenId += 1) {
      const createdAtS = this.tokenCreation(tokenId)
      if (createdAtS !== undefined) creations.push({ tokenId, createdAtS })
    }
    return creations
  }

  /** It was there before we knew it. */
  isLate(pairId: number): boolean {
    return this.searchedPairs.has(pairId) || this.pairCreatedAtS(pairId) === 0
  }

  quoteIndex(tokenId: number): number {
    return this.columns.quoteIndex(tokenId)
  }

  /** The token that is a quote asset, by its position; -1 while it is not known. */
  quoteToken(quoteIndex: number): number {
    return this.quoteTokens[quoteIndex]!
  }

  decimals(tokenId: number): number {
    return this.columns.decimals(tokenId)
  }

  /** The token has said how many decimals it has, or will never say. */
  isScaled(tokenId: number): boolean {
    return !this.columns.isStandIn(tokenId)
  }

  setToken(record: TokenRecord, number: number | null): void {
    this.changeToken(record.id, () => {
      if (number === null) this.tokenVersions.setBase(record.id, record)
      else this.tokenVersions.set(record.id, number, record)
    })
  }

  revertToken(id: number, number: number): void {
    this.changeToken(id, () => this.tokenVersions.revert(id, number))
  }

  finalizeToken(id: number, number: number): void {
    this.tokenVersions.finalize(id, number)
  }

  truncate(tokenCount: number, pairCount: number): void {
    for (let id = pairCount; id < this.pairs.count; id += 1) {
      this.searchedPairs.delete(id)
      this.shares.forget(id)
      this.settledShares.delete(id)
    }
    this.pairs.truncate(pairCount)
    while ((this.nativePools.at(-1) ?? -1) >= pairCount) this.nativePools.pop()
    for (let id = this.tokens.count - 1; id >= tokenCount; id -= 1) {
      this.search?.remove(id, this.termsOf(id))
      this.tokenVersions.forget(id)
      this.revisions.raise(id)
      this.rescaled.delete(id)
      const quoteIndex = this.columns.quoteIndex(id)
      if (quoteIndex >= 0) this.quoteTokens[quoteIndex] = -1
    }
    this.tokens.truncate(tokenCount)
    this.supplies.truncate(tokenCount)
    this.columns.truncate(tokenCount)
  }

  imaged(): readonly Imaged[] {
    const { tokens, supplies, pairs, columns, search } = this
    const parts = [...tokens.imaged(), ...supplies.imaged(), ...pairs.imaged(), columns, this]
    return search === null ? parts : [...parts, ...search.imaged()]
  }

  imageFields(): Map<string, Uint8Array> {
    return new Map([
      ['quoteTokens', imageBytes(Int32Array.from(this.quoteTokens))],
      ['nativePools', imageBytes(Int32Array.from(this.nativePools))],
      ['rescaled', imageBytes(Int32Array.from(this.rescaled))],
    ])
  }

  fillFrom(fields: ReadonlyMap<string, Uint8Array>): void {
    const idsOf = (name: string) => Int32Array.from(wordsOf(fields, name))
    this.quoteTokens.splice(0, Number.POSITIVE_INFINITY, ...idsOf('quoteTokens'))
    this.nativePools.push(...idsOf('nativePools'))
    for (const id of idsOf('rescaled')) this.rescaled.add(id)
  }

  /** Undefined: the record has to be read to tell. */
  private isStoredNamed(id: number, word: string): boolean | undefined {
    if (this.tokenVersions.newest(id) !== undefined) return undefined
    const reader = this.tokens.seek(id, 'symbol')
    const isSymbol = reader.isWord(word, termLengthMax)
    // The name follows.
    return isSymbol === false ? reader.isWord(word, termLengthMax) : isSymbol
  }

  private changeToken(id: number, change: () => void): void {
    const before = this.token(id)
    change()
    this.revisions.raise(id)
    const after = this.token(id)
    assert.equal(after.address, before.address, 'a better record is of the same token')
    this.columns.set(after)
    if (isStandIn(after)) this.rescaled.delete(id)
    else if (isStandIn(before)) this.rescaled.add(id)
    if (before.symbol === after.symbol && before.name === after.name) return
    this.search?.remove(id, before)
    this.search?.add(id, after)
  }
}
