import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import {
  copyImage,
  createSmallMemory,
  fillParts,
  imageText,
  ObservedMemory,
} from '../../../../../test/support/imagedParts.ts'
import { IdSet, isNamedBy, SearchIndex, type SearchTerms } from './searchIndex.ts'

// Adds, changes and removes random words over a small alphabet, and compares every search with its
// definition: a scan of all tokens, in order of ids, for sets of pieces, until the work limit is
// reached.

const directory = mkdtempSync(join(tmpdir(), 'search-'))
afterAll(() => rmSync(directory, { recursive: true }))

const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'B', 'c', '0', 'x', 'Ä', '犬'), maxLength })
const addresses = fc.oneof(
  fc.uuid(),
  fc.string({ unit: fc.constantFrom('a', 'B', '0'), minLength: 1, maxLength: 8 }),
  fc
    .string({ unit: fc.constantFrom('a', 'b'), minLength: 40, maxLength: 40 })
    .map((digits) => `0x${digits}`),
)
const terms = fc.record({ symbol: text(5), name: text(9), address: addresses })
const added = fc.record({ type: fc.constant('add' as const), terms })
const changed = fc.record({ type: fc.constant('change' as const), at: fc.nat(), terms })
const removed = fc.record({ type: fc.constant('remove' as const), at: fc.nat() })
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: added },
    { weight: 1, arbitrary: changed },
    { weight: 1, arbitrary: removed },
  ),
  { maxLength: 60 },
)
const comparisonWork = 16

function grams(word: string): string[] {
  return Array.from({ length: Math.max(0, word.length - 2) }, (_, at) => word.slice(at, at + 3))
}

function lowerWords({ symbol, name }: SearchTerms): string[] {
  return [symbol.toLowerCase(), name.toLowerCase()]
}

/** All pieces (trigrams, words, starts and ends) under which a token is found. */
function piecesOf(token: SearchTerms): Set<string> {
  const lower = token.address.toLowerCase()
  const words = lowerWords(token).filter((word) => word !== '')
  return new Set([
    ...words.flatMap((word) => [`=${word}`, ...grams(`\u0001\u0001${word}`)]),
    ...[`=${lower}`, `@${lower.slice(0, 3)}`, `@${lower.slice(0, 6)}`, `$${lower.slice(-4)}`],
  ])
}

type Limits = { max: number; workMax: number }
type Token = SearchTerms | null

/** Collects tokens that have all pieces and match, oldest first, after those collected before. */
function collector(tokens: readonly Token[], { max, workMax }: Limits) {
  const taken: number[] = []
  const pieces = tokens.map((token) => (token === null ? new Set<string>() : piecesOf(token)))
  const lengthOf = (key: string) => pieces.filter((all) => all.has(key)).length
  function collect(
    from: number,
    keys: readonly string[],
    matches: (token: SearchTerms) => boolean,
  ): void {
    const [shortest] = [...keys].sort((a, b) => lengthOf(a) - lengthOf(b))
    let workLeft = workMax
    for (const [id, token] of tokens.entries()) {
      if (taken.length >= from + max || workLeft <= 0) return
      if (token === null || !pieces[id]!.has(shortest!)) continue
      workLeft -= 1
      if (!keys.every((key) => pieces[id]!.has(key)) || taken.includes(id)) continue
      workLeft -= comparisonWork
      if (matches(token)) taken.push(id)
    }
  }
  return { taken, collect }
}

function plainFind(tokens: readonly Token[], word: string, limits: Limits) {
  const { taken, collect } = collector(tokens, limits)
  if (word === '') return { exact: [], prefix: [], inside: [] }
  collect(0, [`=${word}`], () => true)
  const exact = taken.length
  const starts = grams(`\u0001\u0001${word}`)
  collect(exact, word.length < 3 ? starts.slice(-1) : starts.slice(1, 8), (token) =>
    lowerWords(token).some((each) => each.startsWith(word)),
  )
  const start = `@${word.slice(0, word.length >= 6 ? 6 : 3)}`
  if (word.length >= 3)
    collect(exact, [start], ({ address }) => address.toLowerCase().startsWith(word))
  const prefix = taken.length
  if (word.length >= 3)
    collect(prefix, grams(word).slice(0, 8), (token) =>
      lowerWords(token).some((each) => each.includes(word)),
    )
  if (word.length === 4) collect(prefix, [`$${word}`], () => true)
  return {
    exact: taken.slice(0, exact),
    prefix: taken.slice(exact, prefix),
    inside: taken.slice(prefix),
  }
}

/** Tokens with so many different characters that their keys fill several pages. */
const others = Array.from({ length: 30 }, (_, place): SearchTerms => {
  const letters = Array.from({ length: 20 }, (_, at) => 0x4e00 + place * 20 + at)
  return { symbol: '', name: String.fromCharCode(...letters), address: `other${place}` }
})

test('behavior: a search finds what a scan finds, through evictions', () => {
  let evicted = 0
  fc.assert(
    fc.property(
      steps,
      fc.array(fc.oneof(text(5), addresses), { minLength: 1, maxLength: 8 }),
      fc.record({ max: fc.constantFrom(1, 3, 100), workMax: fc.constantFrom(20, 100, 10_000) }),
      fc.nat({ max: 40 }),
      fc.nat({ max: 20_000 }),
      (all, keywords, limits, copiedAt, residentBytesMax) => {
        const memories = [new ObservedMemory(), createSmallMemory(directory, residentBytesMax)]
        const indexes = memories.map((memory) => new SearchIndex(memory))
        const tokens: Token[] = [...others]
        for (const index of indexes)
          for (const [id, terms] of others.entries()) index.add(id, terms)
        const copy = () => {
          const memory = createSmallMemory(directory, residentBytesMax)
          const index = new SearchIndex(memory)
          fillParts(index.imageParts(), memory, copyImage(indexes[1]!.imageParts(), memories[1]!))
          memories.push(memory)
          indexes.push(index)
        }
        for (const [place, step] of all.entries()) {
          if (place === copiedAt) copy()
          const id = step.type === 'add' ? tokens.length : step.at % tokens.length
          const before = tokens[id]
          tokens[id] = step.type === 'remove' ? null : step.terms
          for (const index of indexes) {
            if (before) index.remove(id, before)
            if (step.type !== 'remove') index.add(id, step.terms)
          }
          for (const memory of memories) memory.evictExcess()
          evicted += memories[1]!.evicted()
        }
        const termsOf = (id: number) => tokens[id]!
        const isNamed = (id: number, word: string) => isNamedBy(tokens[id]!, word)
        const idsOf = (lower: string) =>
          tokens.flatMap((token, id) => (token?.address.toLowerCase() === lower ? [id] : []))
        const named = tokens
          .slice(others.length)
          .flatMap((token) => (token === null ? [] : [token.name, token.address]))
        for (const keyword of [...keywords, ...named]) {
          const plain = plainFind(tokens, keyword.trim().toLowerCase(), limits)
          for (const [place, index] of indexes.entries()) {
            const found = index.find(keyword, { termsOf, isNamed, idsOf }, limits)
            const { exact, prefix, inside } = found
            expect({ exact: [...exact], prefix: [...prefix], inside: [...inside] }).toEqual(plain)
            memories[place]!.evictExcess()
          }
        }
        const images = indexes.map((index, place) =>
          imageText(copyImage(index.imageParts(), memories[place]!)),
        )
        expect(new Set(images).size).toBe(1)
      },
    ),
  )
  expect(evicted).toBeGreaterThan(100)
})

const ids = fc.array(fc.nat({ max: 200 }), { maxLength: 60 })
// Includes ids above the largest one in the set.
const all = Array.from({ length: 300 }, (_, id) => id)

test('behavior: an IdSet equals a Set, also after it is cleared', () => {
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 5 }), (fills) => {
      const set = new IdSet()
      for (const fill of fills) {
        set.clear()
        const known = new Set<number>()
        for (const id of fill) {
          if (!set.has(id)) set.add(id)
          known.add(id)
        }
        expect([...set.slice(0, set.size)]).toEqual([...known])
        expect(all.filter((id) => set.has(id))).toEqual(all.filter((id) => known.has(id)))
      }
    }),
  )
})
