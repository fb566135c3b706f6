import { doubled } from '../../lib/growArray.ts'
import type { ImagePart } from '../pages/imagePart.ts'
import type { MarketMemory } from '../pages/marketMemory.ts'
import { walletHash } from '../tables/walletHash.ts'
import { PostingLists } from './postingLists.ts'

export type SearchTerms = { address: string; symbol: string; name: string }

/**
 * Lengths of the indexed starts and ends of addresses; trigrams of addresses would be most of the
 * index.
 */
const addressPrefixes = [3, 6] as const
const addressSuffix = 4
/** Number of characters of a symbol or name that are indexed. */
export const termLengthMax = 128
/** Maximum number of posting lists that a search joins before it compares words. */
const joinedListsMax = 8
/** Marker that precedes the first character of a word, twice. */
const startMarker = 1

/** A key is a whole double: 48 bits of the indexed text, above them the kind of key. */
const kindUnit = 2 ** 48
const kind = { gram: 0, prefix3: 1, prefix6: 2, suffix: 3, word: 4 } as const
/** Highest character code of one byte; addresses contain no higher ones. */
const byteMax = 0xff

/** Symbol or name as searches compare it: in lower case and cut to the indexed length. */
function lowerTerm(text: string): string {
  return text.slice(0, termLengthMax).toLowerCase()
}

/** True if the symbol or name equals this word, which must be lower case. */
export function isNamedBy({ symbol, name }: SearchTerms, word: string): boolean {
  return lowerTerm(symbol) === word || lowerTerm(name) === word
}

/** Key of a whole word, by hash: different words hardly ever share one. */
function wordKey(word: string): number {
  return kind.word * kindUnit + (walletHash(word) % kindUnit)
}

/** Keys of the trigrams of a word, at most `joinedListsMax`. */
function trigramKeys(word: string): number[] {
  const keys: number[] = []
  for (let at = 0; at + 3 <= word.length && keys.length < joinedListsMax; at += 1)
    keys.push(trigramKey(word.charCodeAt(at), word.charCodeAt(at + 1), word.charCodeAt(at + 2)))
  return keys
}

/**
 * Keys shared by all words that start with this one. For one or two characters the single key
 * decides.
 */
function startKeys(word: string): number[] {
  const first = word.charCodeAt(0)
  if (word.length === 1) return [trigramKey(startMarker, startMarker, first)]
  const keys = [trigramKey(startMarker, first, word.charCodeAt(1))]
  if (word.length > 2) keys.push(...trigramKeys(word).slice(0, joinedListsMax - 2))
  return keys
}

/** Key of the start of an address; null if no address can start like this. */
function prefixKey(word: string, length: number): number | null {
  return bytesKey(word.slice(0, length), length === 3 ? kind.prefix3 : kind.prefix6)
}

/** Key of the end of an address; null if no address can end like this. */
function suffixKey(word: string): number | null {
  return bytesKey(word.slice(-addressSuffix), kind.suffix)
}

/** Visits all keys of a token; some repeat. */
function forEachKey(terms: SearchTerms, visit: (key: number) => void): void {
  for (const term of [lowerTerm(terms.symbol), lowerTerm(terms.name)]) {
    if (term === '') continue
    visit(wordKey(term))
    let before = startMarker
    let last = startMarker
    for (let at = 0; at < term.length; at += 1) {
      const code = term.charCodeAt(at)
      visit(trigramKey(before, last, code))
      before = last
      last = code
    }
  }
  const address = terms.address.toLowerCase()
  for (const length of addressPrefixes) {
    const key = address.length < length ? null : prefixKey(address, length)
    if (key !== null) visit(key)
  }
  const key = address.length < addressSuffix ? null : suffixKey(address)
  if (key !== null) visit(key)
}

function trigramKey(a: number, b: number, c: number): number {
  return kind.gram * kindUnit + a * 2 ** 32 + b * 2 ** 16 + c
}

function bytesKey(text: string, of: number): number | null {
  let key = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > byteMax) return null
    key = key * (byteMax + 1) + code
  }
  return of * kindUnit + key
}

/**
 * A set of dense ids that is filled and cleared repeatedly without garbage: one bit per id, and a
 * list in insertion order.
 */
export class IdSet {
  #bits = new Uint32Array(1)
  #ids = new Uint32Array(1)
  #count = 0

  get size(): number {
    return this.#count
  }

  has(id: number): boolean {
    const word = this.#bits[id >>> 5]
    return word !== undefined && (word & (1 << (id & 31))) !== 0
  }

  /** Adds an id, which must not be in the set. */
  add(id: number): void {
    const at = id >>> 5
    if (at >= this.#bits.length) this.#bits = doubled(this.#bits, at + 1)
    this.#bits[at]! |= 1 << (id & 31)
    if (this.#count === this.#ids.length) this.#ids = doubled(this.#ids, this.#count + 1)
    this.#ids[this.#count] = id
    this.#count += 1
  }

  /**
   * Returns the ids between two positions in insertion order; valid until the set is filled again.
   */
  slice(from: number, to: number): Uint32Array {
    return this.#ids.subarray(from, to)
  }

  /** Clears the set in time proportional to its size, however large the ids are. */
  clear(): void {
    for (let index = 0; index < this.#count; index += 1) this.#bits[this.#ids[index]! >>> 5] = 0
    this.#count = 0
  }
}

/** Ids found by a search, one list per kind of match. The next search overwrites them. */
type FoundIds = { exact: Uint32Array; prefix: Uint32Array; inside: Uint32Array }

type FindOptions = { max: number; wanted?: number; workMax: number }

/** Data of indexed tokens that the index itself does not store. */
type SearchedTokens = {
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
  readonly #lists: PostingLists
  /** Ids found by the last search. */
  readonly #foundIds = new IdSet()

  constructor(memory: MarketMemory) {
    this.#lists = new PostingLists('search', memory)
  }

  imageParts(): readonly ImagePart[] {
    return this.#lists.imageParts()
  }

  add(id: number, terms: SearchTerms): void {
    forEachKey(terms, (key) => this.#lists.add(key, id))
  }

  remove(id: number, terms: SearchTerms): void {
    const keys = new Set<number>()
    forEachKey(terms, (key) => keys.add(key))
    for (const key of keys) this.#lists.remove(key, id)
  }

  /**
   * Finds at most `max` ids of each kind. Once `wanted` matches are found, the remaining kinds are
   * skipped. `workMax` limits the work per kind: a repetitive word shares trigrams with many
   * others, and its later matches are not found.
   */
  find(keyword: string, tokens: SearchedTokens, options: FindOptions): FoundIds {
    const { max, wanted = Number.POSITIVE_INFINITY, workMax } = options
    const word = keyword.trim().toLowerCase().slice(0, keywordLengthMax)
    const foundIds = this.#foundIds
    foundIds.clear()
    if (word === '') return this.#foundByKind(0, 0)
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
      this.#lists.intersect(keys, workMax, visit, ids)
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
    if (prefixFrom >= wanted) return this.#foundByKind(prefixFrom, prefixFrom)
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
    if (insideFrom >= wanted) return this.#foundByKind(prefixFrom, insideFrom)
    if (word.length >= 3)
      collect(
        insideFrom,
        { keys: trigramKeys(word) },
        word.length === 3 ? null : (id) => anyTermMatches(tokens.termsOf(id), holds),
      )
    const ending = word.length === addressSuffix ? suffixKey(word) : null
    if (ending !== null) collect(insideFrom, { keys: [ending] }, null)
    return this.#foundByKind(prefixFrom, insideFrom)
  }

  #foundByKind(prefixFrom: number, insideFrom: number): FoundIds {
    const foundIds = this.#foundIds
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
