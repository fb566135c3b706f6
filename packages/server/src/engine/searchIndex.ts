import { PostingLists } from './postingLists.ts'

export type SearchTerms = { address: string; symbol: string; name: string }

export type SearchMatches = {
  exact: readonly number[]
  prefix: readonly number[]
  inside: readonly number[]
}

// Addresses are looked up by how they start and end; every piece of them would be most of the index.
const addressPrefixes = [3, 6] as const
const addressSuffix = 4

/** Longest keyword that is looked at. */
const keywordLengthMax = 128
/** Characters of a name that are indexed. */
const termLengthMax = 128
/** Lists of a keyword that are joined before the words themselves are compared. */
const joinedListsMax = 8
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

  /** At most `max` of each kind. `termsOf` gives the record the id stands for now. */
  find(keyword: string, max: number, termsOf: (id: number) => SearchTerms): SearchMatches {
    const word = keyword.trim().toLowerCase().slice(0, keywordLengthMax)
    if (word === '') return { exact: [], prefix: [], inside: [] }
    const taken = new Set<number>()
    const collect = (lists: readonly string[], matches: (term: string) => boolean) => {
      const found: number[] = []
      this.lists.join(lists, (id) => {
        if (taken.has(id) || !lowerTerms(termsOf(id)).some(matches)) return true
        taken.add(id)
        found.push(id)
        return found.length < max
      })
      return found
    }
    const exact = collect([`=${word}`], (term) => term === word)
    const begins = (term: string) => term.startsWith(word)
    const prefix = collect(prefixKeys(word), begins)
    for (const length of addressPrefixes)
      if (word.length >= length && prefix.length < max)
        prefix.push(...collect([`@${word.slice(0, length)}`], begins).slice(0, max - prefix.length))
    const inside =
      word.length < 3
        ? []
        : collect(gramsOf(word).slice(0, joinedListsMax), (term) => term.includes(word))
    if (word.length === addressSuffix)
      inside.push(...collect([`$${word}`], (term) => term.endsWith(word)))
    return { exact, prefix, inside: inside.slice(0, max) }
  }
}

function lowerTerms(terms: SearchTerms): readonly [string, string, string] {
  return [
    terms.symbol.slice(0, termLengthMax).toLowerCase(),
    terms.name.slice(0, termLengthMax).toLowerCase(),
    terms.address.toLowerCase(),
  ]
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
  const [symbol, name, address] = lowerTerms(terms)
  const keys = new Set<string>()
  for (const term of [symbol, name]) {
    if (term === '') continue
    keys.add(`=${term}`)
    for (const gram of gramsOf(`${start}${start}${term}`)) keys.add(gram)
  }
  keys.add(`=${address}`)
  for (const length of addressPrefixes) keys.add(`@${address.slice(0, length)}`)
  keys.add(`$${address.slice(-addressSuffix)}`)
  return keys
}
