import { walletHash } from '../tables/walletHash.ts'

export type SearchTerms = { address: string; symbol: string; name: string }

/**
 * Lengths of the indexed starts and ends of addresses; trigrams of addresses would be most of the
 * index.
 */
export const addressPrefixes = [3, 6] as const
export const addressSuffix = 4
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
export function lowerTerm(text: string): string {
  return text.slice(0, termLengthMax).toLowerCase()
}

/** True if the symbol or name equals this word, which must be lower case. */
export function isNamedBy({ symbol, name }: SearchTerms, word: string): boolean {
  return lowerTerm(symbol) === word || lowerTerm(name) === word
}

/** Key of a whole word, by hash: different words hardly ever share one. */
export function wordKey(word: string): number {
  return kind.word * kindUnit + (walletHash(word) % kindUnit)
}

/** Keys of the trigrams of a word, at most `joinedListsMax`. */
export function trigramKeys(word: string): number[] {
  const keys: number[] = []
  for (let at = 0; at + 3 <= word.length && keys.length < joinedListsMax; at += 1)
    keys.push(trigramKey(word.charCodeAt(at), word.charCodeAt(at + 1), word.charCodeAt(at + 2)))
  return keys
}

/**
 * Keys shared by all words that start with this one. For one or two characters the single key
 * decides.
 */
export function startKeys(word: string): number[] {
  const first = word.charCodeAt(0)
  if (word.length === 1) return [trigramKey(startMarker, startMarker, first)]
  const keys = [trigramKey(startMarker, first, word.charCodeAt(1))]
  if (word.length > 2) keys.push(...trigramKeys(word).slice(0, joinedListsMax - 2))
  return keys
}

/** Key of the start of an address; null if no address can start like this. */
export function prefixKey(word: string, length: number): number | null {
  return bytesKey(word.slice(0, length), length === 3 ? kind.prefix3 : kind.prefix6)
}

/** Key of the end of an address; null if no address can end like this. */
export function suffixKey(word: string): number | null {
  return bytesKey(word.slice(-addressSuffix), kind.suffix)
}

/** Visits all keys of a token; some repeat. */
export function forEachKey(terms: SearchTerms, visit: (key: number) => void): void {
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
