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

/** What was found, each kind as a part of one list that the next search writes over. */
type FoundIds = { exact: Uint32Array; prefix: Uint32Array; inside: Uint32Array }

export type FindOptions = { max: number; wanted?: number; workMax: number }

/** What the index does not hold of the tokens in it. */
export type SearchedTokens = {
  /** The record the id stands for now. */
  termsOf(id: number): SearchTerms
  /** Is its symbol or its name this word, which is in lower case? A search for a common one asks thousands of times. */
  isNamed(id: number, word: string): boolean
  /** Tokens whose address is this one in lower case, ascending. */
  idsOf(address: string): readonly number[]
}

type Collected = { keys: readonly number[]; ids?: readonly number[] }

/** Longest keyword that is looked at. */
const keywordLengthMax = 128
/** What comparing the words of a token costs, where a look at its id is 1. */
const comparisonWork = 16

/**
 * Finds tokens by symbol, name and address, without case. Every three characters in a row of symbol
 * and name have a posting list of token ids, ascending; two marks before the first character make
 * lists of how words begin; whole words have a list of their own. Removal is exact.
 */
export class SearchIndex {
  private readonly lists: PostingLists
  /** What the last search has found. */
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
   * At most `max` of each kind. Once there are
   * `wanted` matches the kinds that come after are not looked for. What a kind has beyond `workMax`
   * ids looked at is not found: words that repeat themselves have the pieces of many others.
   */
  find(keyword: string, tokens: SearchedTokens, options: FindOptions): FoundIds {
    const { max, wanted = Number.POSITIVE_INFINITY, workMax } = options
    const word = keyword.trim().toLowerCase().slice(0, keywordLengthMax)
    const { taken } = this
    taken.clear()
    if (word === '') return this.found(0, 0)
    /** Of the kind whose matches begin at a place among all that are taken. */
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
    // Two words may have the same key, so that they are compared; lists that say it all need no look at the words.
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

/** Symbol and name as they are compared; the later only if the earlier does not match. */
function someTerm({ symbol, name }: SearchTerms, matches: (term: string) => boolean): boolean {
  return matches(lowerTerm(symbol)) || matches(lowerTerm(name))
}
