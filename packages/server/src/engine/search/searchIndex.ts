import type { ImagePart } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { IdSet } from '../tables/idSet.ts'
import { PostingLists } from './postingLists.ts'
import {
  addressPrefixes,
  addressSuffix,
  forEachKey,
  lowerTerm,
  prefixKey,
  type SearchTerms,
  startKeys,
  suffixKey,
  trigramKeys,
  wordKey,
} from './searchKeys.ts'

/** Ids found by a search, one list per kind of match. The next search overwrites them. */
type FoundIds = { exact: Uint32Array; prefix: Uint32Array; inside: Uint32Array }

export type FindOptions = { max: number; wanted?: number; workMax: number }

/** Data of indexed tokens that the index itself does not store. */
export type SearchedTokens = {
  /** Current words of a token. */
  termsOf(id: number): SearchTerms
  /**
   * True if the token's symbol or name equals this lower-case word. A common word is checked for
   * thousands of tokens.
   */
  isNamed(id: number, word: string): boolean
  /** Tokens whose address in lower case equals this one, ascending. */
  idsOf(address: string): readonly number[]
}

type MatchSource = { keys: readonly number[]; ids?: readonly number[] }

/** Maximum keyword length; the rest is ignored. */
const keywordLengthMax = 128
/** Work units for comparing the words of a token; looking at its id costs 1. */
const comparisonWork = 16

/**
 * Finds tokens by symbol, name and address, ignoring case. Each sequence of three characters in a
 * symbol or name (trigram) has a posting list of token ids, ascending. Two markers before the first
 * character make lists of how words start. Whole words have their own list. Removal is exact.
 */
export class SearchIndex {
  private readonly lists: PostingLists
  /** Ids found by the last search. */
  private readonly foundIds = new IdSet()

  constructor(memory: MarketMemory) {
    this.lists = new PostingLists('search', memory)
  }

  imageParts(): readonly ImagePart[] {
    return this.lists.imageParts()
  }

  add(id: number, terms: SearchTerms): void {
    forEachKey(terms, (key) => this.lists.add(key, id))
  }

  remove(id: number, terms: SearchTerms): void {
    const keys = new Set<number>()
    forEachKey(terms, (key) => keys.add(key))
    for (const key of keys) this.lists.remove(key, id)
  }

  /**
   * Finds at most `max` ids of each kind. Once `wanted` matches are found, the remaining kinds are
   * skipped. `workMax` limits the work per kind: a repetitive word shares trigrams with many
   * others, and its later matches are not found.
   */
  find(keyword: string, tokens: SearchedTokens, options: FindOptions): FoundIds {
    const { max, wanted = Number.POSITIVE_INFINITY, workMax } = options
    const word = keyword.trim().toLowerCase().slice(0, keywordLengthMax)
    const { foundIds } = this
    foundIds.clear()
    if (word === '') return this.foundByKind(0, 0)
    /** Adds matches of one kind, whose ids start at position `from` of the found ids. */
    const collect = (
      from: number,
      { keys, ids = [] }: MatchSource,
      matches: ((id: number) => boolean) | null,
    ) => {
      const end = from + max
      if (foundIds.size >= end) return
      const visit = (id: number, workLeft: number) => {
        if (foundIds.has(id)) return workLeft
        if (matches !== null && !matches(id)) return workLeft - comparisonWork
        foundIds.add(id)
        return foundIds.size < end ? workLeft - comparisonWork : 0
      }
      this.lists.intersect(keys, workMax, visit, ids)
    }
    // Two words may share a key, so words are compared. Where the keys identify a match, `matches`
    // is null.
    const byAddress = tokens.idsOf(word)
    collect(
      0,
      { keys: [wordKey(word)], ids: byAddress },
      (id) => tokens.isNamed(id, word) || byAddress.includes(id),
    )
    const prefixFrom = foundIds.size
    if (prefixFrom >= wanted) return this.foundByKind(prefixFrom, prefixFrom)
    const begins = (term: string) => term.startsWith(word)
    const holds = (term: string) => term.includes(word)
    collect(
      prefixFrom,
      { keys: startKeys(word) },
      word.length < 3 ? null : (id) => anyTermMatches(tokens.termsOf(id), begins),
    )
    const length = addressPrefixes.findLast((known) => known <= word.length)
    const key = length === undefined ? null : prefixKey(word, length)
    if (key !== null)
      collect(
        prefixFrom,
        { keys: [key] },
        length === word.length ? null : (id) => begins(tokens.termsOf(id).address.toLowerCase()),
      )
    const insideFrom = foundIds.size
    if (insideFrom >= wanted) return this.foundByKind(prefixFrom, insideFrom)
    if (word.length >= 3)
      collect(
        insideFrom,
        { keys: trigramKeys(word) },
        word.length === 3 ? null : (id) => anyTermMatches(tokens.termsOf(id), holds),
      )
    const ending = word.length === addressSuffix ? suffixKey(word) : null
    if (ending !== null) collect(insideFrom, { keys: [ending] }, null)
    return this.foundByKind(prefixFrom, insideFrom)
  }

  private foundByKind(prefixFrom: number, insideFrom: number): FoundIds {
    const { foundIds } = this
    return {
      exact: foundIds.slice(0, prefixFrom),
      prefix: foundIds.slice(prefixFrom, insideFrom),
      inside: foundIds.slice(insideFrom, foundIds.size),
    }
  }
}

/** Checks the symbol in lower case, then the name if the symbol does not match. */
function anyTermMatches(
  { symbol, name }: SearchTerms,
  matches: (term: string) => boolean,
): boolean {
  return matches(lowerTerm(symbol)) || matches(lowerTerm(name))
}
