import { IdSet } from '../tables/idSet.ts'
import { PostingLists } from './postingLists.ts'

export type SearchTerms = { address: string; symbol: string; name: string }

/** What was found, each kind as a part of one list that the next search writes over. */
type FoundIds = { exact: Uint32Array; prefix: Uint32Array; inside: Uint32Array }

export type FindOptions = { max: number; wanted?: number; workMax: number }

// Addresses are looked up by how they start and end; every piece of them would be most of the index.
const addressPrefixes = [3, 6] as const
const addressSuffix = 4

/** Longest keyword that is looked at. */
const keywordLengthMax = 128
/** Characters of a name that are indexed. */
const termLengthMax = 128
/** Lists of a keyword that are joined before the words themselves are compared. */
const joinedListsMax = 8
/** What comparing the words of a token costs, where a look at its id is 1. */
const comparisonWork = 16
const start = '\u0001'

/**
 * Finds tokens by symbol, name and address, without case. Every three characters in a row of symbol
 * and name have a posting list of token ids, ascending; two marks before the first character make
 * lists of how words begin; whole words have a list of their own. Removal is exact.
 */
export class SearchIndex {
  private readonly lists = new PostingLists()
  /** What the last search has found. */
  private readonly taken = new IdSet()

  add(id: number, terms: SearchTerms): void {
    for (const key of keysOf(terms)) this.lists.add(key, id)
  }

  remove(id: number, terms: SearchTerms): void {
    for (const key of keysOf(terms)) this.lists.remove(key, id)
  }

  /**
   * At most `max` of each kind. `termsOf` gives the record the id stands for now. Once there are
   * `wanted` matches the kinds that come after are not looked for. What a kind has beyond `workMax`
   * ids looked at is not found: words that repeat themselves have the pieces of many others.
   */
  find(keyword: string, termsOf: (id: number) => SearchTerms, options: FindOptions): FoundIds {
    const { max, wanted = Number.POSITIVE_INFINITY, workMax } = options
    const word = keyword.trim().toLowerCase().slice(0, keywordLengthMax)
    const { taken } = this
    taken.clear()
    if (word === '') return this.found(0, 0)
    /** Of the kind whose matches begin at a place among all that are taken. */
    const collect = (
      from: number,
      lists: readonly string[],
      matches: ((terms: SearchTerms) => boolean) | null,
    ) => {
      const end = from + max
      if (taken.size < end)
        this.lists.join(lists, workMax, (id, workLeft) => {
          if (taken.has(id)) return workLeft
          if (matches !== null && !matches(termsOf(id))) return workLeft - comparisonWork
          taken.add(id)
          return taken.size < end ? workLeft - comparisonWork : 0
        })
    }
    // Lists that say it all need no look at the words.
    collect(0, [`=${word}`], null)
    const prefixFrom = taken.size
    if (prefixFrom >= wanted) return this.found(prefixFrom, prefixFrom)
    const begins = (term: string) => term.startsWith(word)
    collect(
      prefixFrom,
      prefixKeys(word),
      word.length < 3 ? null : (terms) => someTerm(terms, begins),
    )
    const length = addressPrefixes.findLast((known) => known <= word.length)
    if (length !== undefined)
      collect(
        prefixFrom,
        [`@${word.slice(0, length)}`],
        length === word.length ? null : ({ address }) => begins(address.toLowerCase()),
      )
    const insideFrom = taken.size
    if (insideFrom >= wanted) return this.found(prefixFrom, insideFrom)
    if (word.length >= 3)
      collect(
        insideFrom,
        gramsOf(word).slice(0, joinedListsMax),
        word.length === 3 ? null : (terms) => someTerm(terms, (term) => term.includes(word)),
      )
    if (word.length === addressSuffix) collect(insideFrom, [`$${word}`], null)
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

function lowerTerm(text: string): string {
  return text.slice(0, termLengthMax).toLowerCase()
}

function gramsOf(text: string): string[] {
  const grams: string[] = []
  for (let at = 0; at + 3 <= text.length; at += 1) grams.push(text.slice(at, at + 3))
  return grams
}

function prefixKeys(word: string): string[] {
  const keys = gramsOf(`${start}${start}${word}`)
  return word.length < 3 ? keys.slice(-1) : keys.slice(1, joinedListsMax)
}

function keysOf(terms: SearchTerms): Set<string> {
  const address = terms.address.toLowerCase()
  const keys = new Set<string>()
  for (const term of [lowerTerm(terms.symbol), lowerTerm(terms.name)]) {
    if (term === '') continue
    keys.add(`=${term}`)
    for (const gram of gramsOf(`${start}${start}${term}`)) keys.add(gram)
  }
  keys.add(`=${address}`)
  for (const length of addressPrefixes) keys.add(`@${address.slice(0, length)}`)
  keys.add(`$${address.slice(-addressSuffix)}`)
  return keys
}
