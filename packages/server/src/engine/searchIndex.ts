import type { SearchMatches } from './marketReads.ts'
import { PostingLists } from './postingLists.ts'

export type SearchTerms = { address: string; symbol: string; name: string }

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
  find(keyword: string, termsOf: (id: number) => SearchTerms, options: FindOptions): SearchMatches {
    const { max, wanted = Number.POSITIVE_INFINITY, workMax } = options
    const word = keyword.trim().toLowerCase().slice(0, keywordLengthMax)
    if (word === '') return { exact: [], prefix: [], inside: [] }
    const taken = new Set<number>()
    const collect = (
      lists: readonly string[],
      found: number[],
      matches: ((terms: SearchTerms) => boolean) | null,
    ) => {
      if (found.length < max)
        this.lists.join(lists, workMax, (id, workLeft) => {
          if (taken.has(id)) return workLeft
          if (matches !== null && !matches(termsOf(id))) return workLeft - comparisonWork
          taken.add(id)
          found.push(id)
          return found.length < max ? workLeft - comparisonWork : 0
        })
      return found
    }
    // Lists that say it all need no look at the words.
    const exact = collect([`=${word}`], [], null)
    if (taken.size >= wanted) return { exact, prefix: [], inside: [] }
    const begins = (term: string) => term.startsWith(word)
    const prefix = collect(
      prefixKeys(word),
      [],
      word.length < 3 ? null : (terms) => someTerm(terms, begins),
    )
    const length = addressPrefixes.findLast((known) => known <= word.length)
    if (length !== undefined)
      collect(
        [`@${word.slice(0, length)}`],
        prefix,
        length === word.length ? null : ({ address }) => begins(address.toLowerCase()),
      )
    if (taken.size >= wanted) return { exact, prefix, inside: [] }
    const inside: number[] = []
    if (word.length >= 3)
      collect(
        gramsOf(word).slice(0, joinedListsMax),
        inside,
        word.length === 3 ? null : (terms) => someTerm(terms, (term) => term.includes(word)),
      )
    if (word.length === addressSuffix) collect([`$${word}`], inside, null)
    return { exact, prefix, inside }
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
