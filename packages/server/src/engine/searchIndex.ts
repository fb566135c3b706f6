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

  /**
   * At most `max` of each kind. `termsOf` gives the record the id stands for now. Once there are
   * `wanted` matches the kinds that come after are not looked for.
   */
  find(
    keyword: string,
    max: number,
    termsOf: (id: number) => SearchTerms,
    wanted = Number.POSITIVE_INFINITY,
  ): SearchMatches {
    const word = keyword.trim().toLowerCase().slice(0, keywordLengthMax)
    if (word === '') return { exact: [], prefix: [], inside: [] }
    const taken = new Set<number>()
    const collect = (
      lists: readonly string[],
      found: number[],
      matches: (terms: SearchTerms) => boolean,
    ) => {
      if (found.length < max)
        this.lists.join(lists, (id) => {
          if (taken.has(id) || !matches(termsOf(id))) return true
          taken.add(id)
          found.push(id)
          return found.length < max
        })
      return found
    }
    const exact = collect([`=${word}`], [], (terms) => someTerm(terms, (term) => term === word))
    if (taken.size >= wanted) return { exact, prefix: [], inside: [] }
    const begins = (term: string) => term.startsWith(word)
    const prefix = collect(prefixKeys(word), [], (terms) => someTerm(terms, begins))
    const length = addressPrefixes.findLast((known) => known <= word.length)
    if (length !== undefined)
      collect([`@${word.slice(0, length)}`], prefix, ({ address }) =>
        begins(address.slice(0, word.length).toLowerCase()),
      )
    if (taken.size >= wanted) return { exact, prefix, inside: [] }
    const inside: number[] = []
    if (word.length >= 3)
      collect(gramsOf(word).slice(0, joinedListsMax), inside, (terms) =>
        someTerm(terms, (term) => term.includes(word)),
      )
    if (word.length === addressSuffix)
      collect([`$${word}`], inside, ({ address }) => address.toLowerCase().endsWith(word))
    return { exact, prefix, inside }
  }
}

/** Symbol, name and address as they are compared; the later ones only if the earlier do not match. */
function someTerm(terms: SearchTerms, matches: (term: string) => boolean): boolean {
  return (
    matches(lowerTerm(terms.symbol)) ||
    matches(lowerTerm(terms.name)) ||
    matches(terms.address.toLowerCase())
  )
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
