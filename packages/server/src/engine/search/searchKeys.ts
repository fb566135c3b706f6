import { walletHash } from '../windows/walletHash.ts'

export type SearchTerms = { address: string; symbol: string; name: string }

/** Addresses are looked up by how they start and end; every piece of them would be most of the index. */
export const addressPrefixes = [3, 6] as const
export const addressSuffix = 4
/** Characters of a name that are indexed. */
export const termLengthMax = 128
/** Lists of a keyword that are joined before the words themselves are compared. */
const joinedListsMax = 8
/** Stands before the first character of a word, twice. */
const startCode = 1

/** Keys are whole doubles: 48 bits of what is looked for, and above them what kind of thing it is. */
const kindUnit = 2 ** 48
const kind = { gram: 0, prefix3: 1, prefix6: 2, suffix: 3, word: 4 } as const
/** Highest code that takes one byte: no address has another. */
const byteMax = 0xff

/** Symbol and name as they are compared. */
export function lowerTerm(text: string): string {
  return text.slice(0, termLengthMax).toLowerCase()
}

/** Is the symbol or the name this word, which is in lower case? */
export function isNamedBy({ symbol, name }: SearchTerms, word: string): boolean {
  return lowerTerm(symbol) === word || lowerTerm(name) === word
}

/** The same for the same word; another one hardly ever has it. */
export function wordKey(word: string): number {
  return kind.word * kindUnit + (walletHash(word) % kindUnit)
}

/** Every three characters in a row. */
export function gramKeys(word: string): number[] {
  const keys: number[] = []
  for (let at = 0; at + 3 <= word.length && keys.length < joinedListsMax; at += 1)
    keys.push(gramKey(word.charCodeAt(at), word.charCodeAt(at + 1), word.charCodeAt(at + 2)))
  return keys
}

/** What words have that begin with one; of one or two characters the key says it all. */
export function startKeys(word: string): number[] {
  const first = word.charCodeAt(0)
  if (word.length === 1) return [gramKey(startCode, startCode, first)]
  const keys = [gramKey(startCode, first, word.charCodeAt(1))]
  if (word.length > 2) keys.push(...gramKeys(word).slice(0, joinedListsMax - 2))
  return keys
}

/** Null: no address begins like that. */
export function prefixKey(word: string, length: number): number | null {
  return bytesKey(word.slice(0, length), length === 3 ? kind.prefix3 : kind.prefix6)
}

/** Null: no address ends like that. */
export function suffixKey(word: string): number | null {
  return bytesKey(word.slice(-addressSuffix), kind.suffix)
}

/** All keys of a token, some of them more than once. */
export function eachKey(terms: SearchTerms, visit: (key: number) => void): void {
  for (const term of [lowerTerm(terms.symbol), lowerTerm(terms.name)]) {
    if (term === '') continue
    visit(wordKey(term))
    let before = startCode
    let last = startCode
    for (let at = 0; at < term.length; at += 1) {
      const code = term.charCodeAt(at)
      visit(gramKey(before, last, code))
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

function gramKey(a: number, b: number, c: number): number {
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
