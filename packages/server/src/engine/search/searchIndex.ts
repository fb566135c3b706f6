import type { Imaged } from '../pages/imaged.ts'
import type { PageBudget } from '../pages/pageBudget.ts'
import { IdSet } from '../tables/idSet.ts'
import { PostingLists } from './postingLists.ts'
import {
  addressPrefixes,
  addressSuffix,
  eachKey,
  gramKeys,
  lowerTerm,
  prefixKey,
  type SearchTerms,
  startKeys,
  suffixKey,
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

type Collected = { keys: readonly number[]; ids?: readonly number[] }

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
  private readonly taken = new IdSet()

  constructor(memory: PageBudget) {
    this.lists = new PostingLists('search', memory)
  }

  imaged(): readonly Imaged[] {
    return this.lists.imaged()
  }

  add(id: number, terms: SearchTerms): void {
    eachKey(terms, (key) => this.lists.add(key, id))
  }

  remove(id: number, terms: SearchTerms): void {
    const keys = new Set<number>()
    eachKey(terms, (key) => keys.add(key))
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
    const { taken } = this
    taken.clear()
    if (word === '') return this.found(0, 0)
    /** Adds matches of one kind, whose ids start at position `from` of the found ids. */
    const collect = (
      from: number,
      { keys, ids = [] }: Collected,
      matches: ((id: number) => boolean) | null,
    ) => {
      const end = from + max
      if (taken.size >= end) return
      const visit = (id: number, workLeft: number) => {
        if (taken.has(id)) return workLeft
        if (matches !== null && !matches(id)) return workLeft - comparisonWork
        taken.add(id)
        return taken.size < end ? workLeft - comparisonWork : 0
      }
      this.lists.join(keys, workMax, visit, ids)
    }
    // Two words may share a key, so words are compared. Where the keys identify a match, `matches`
    // is null.
    const byAddress = tokens.idsOf(word)
    collect(
      0,
      { keys: [wordKey(word)], ids: byAddress },
      (id) => tokens.isNamed(id, word) || byAddress.includes(id),
    )
    const prefixFrom = taken.size
    if (prefixFrom >= wanted) return this.found(prefixFrom, prefixFrom)
    const begins = (term: string) => term.startsWith(word)
    const holds = (term: string) => term.includes(word)
    collect(
      prefixFrom,
      { keys: startKeys(word) },
      word.length < 3 ? null : (id) => someTerm(tokens.termsOf(id), begins),
    )
    const length = addressPrefixes.findLast((known) => known <= word.length)
    const key = length === undefined ? null : prefixKey(word, length)
    if (key !== null)
      collect(
        prefixFrom,
        { keys: [key] },
        length === word.length ? null : (id) => begins(tokens.termsOf(id).address.toLowerCase()),
      )
    const insideFrom = taken.size
    if (insideFrom >= wanted) return this.found(prefixFrom, insideFrom)
    if (word.length >= 3)
      collect(
        insideFrom,
        { keys: gramKeys(word) },
        word.length === 3 ? null : (id) => someTerm(tokens.termsOf(id), holds),
      )
    const ending = word.length === addressSuffix ? suffixKey(word) : null
    if (ending !== null) collect(insideFrom, { keys: [ending] }, null)
    return this.found(prefixFrom, insideFrom)
  }

  private found(prefixFrom: number, insideFrom: number): FoundIds {
    const { taken } = this
    return {
      exact: taken.slice(0, prefixFrom),
      prefix: taken.slice(prefixFrom, insideFrom),
      inside: taken.slice(insideFrom, taken.size),
    }
  }
}

/** Checks the symbol in lower case, then the name if the symbol does not match. */
function someTerm({ symbol, name }: SearchTerms, matches: (term: string) => boolean): boolean {
  return matches(lowerTerm(symbol)) || matches(lowerTerm(name))
}
