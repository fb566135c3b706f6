import { expect, test } from 'vitest'
import { MarketMemory } from '../pages/marketMemory.ts'
import { isNamedBy, SearchIndex, type SearchTerms } from './searchIndex.ts'

const tokens: SearchTerms[] = [
  { symbol: 'PEPE', name: 'Pepe', address: '0xAAA1110000000000000000000000000000000001' },
  { symbol: 'PEPE2', name: 'Second Pepe', address: '0xaaa2220000000000000000000000000000000002' },
  { symbol: 'BPEPE', name: 'Baby', address: '0xbbb3330000000000000000000000000000000003' },
  { symbol: 'X', name: 'The Pepe Token', address: 'So11111111111111111111111111111111111111112' },
  { symbol: 'ÄÖ', name: '', address: '0xccc' },
]

function create() {
  const index = new SearchIndex(new MarketMemory())
  tokens.forEach((token, id) => {
    index.add(id, token)
  })
  return index
}

function find(index: SearchIndex, keyword: string, max = 10, workMax = 1_000) {
  const termsOf = (id: number) => tokens[id]!
  const isNamed = (id: number, word: string) => isNamedBy(tokens[id]!, word)
  const idsOf = (lower: string) =>
    tokens.flatMap(({ address }, id) => (address.toLowerCase() === lower ? [id] : []))
  const { exact, prefix, inside } = index.find(
    keyword,
    { termsOf, isNamed, idsOf },
    { max, workMax },
  )
  return { exact: [...exact], prefix: [...prefix], inside: [...inside] }
}

test('default: a search returns exact, prefix and inner matches', () => {
  expect(find(create(), 'pepe')).toEqual({ exact: [0], prefix: [1], inside: [2, 3] })
})

test('behavior: one and two characters match the start of a word', () => {
  expect(find(create(), 'p').prefix).toEqual([0, 1])
  expect(find(create(), 'ba').prefix).toEqual([2])
  expect(find(create(), 'x').exact).toEqual([3])
  expect(find(create(), 'äö').exact).toEqual([4])
})

test('behavior: addresses match as a whole, by start and by their last four characters', () => {
  const index = create()
  expect(find(index, tokens[3]!.address).exact).toEqual([3])
  expect(find(index, '0xAAA').prefix).toEqual([0, 1])
  expect(find(index, '0xaaa222000').prefix).toEqual([1])
  expect(find(index, '0003').inside).toEqual([2])
})

test('behavior: a removed token is gone, the others stay', () => {
  const index = create()
  index.remove(1, tokens[1]!)
  index.remove(0, tokens[0]!)
  expect(find(index, 'pepe')).toEqual({ exact: [], prefix: [], inside: [2, 3] })
  index.add(0, tokens[0]!)
  expect(find(index, 'pepe').exact).toEqual([0])
})

test('args: empty and unknown keywords find nothing', () => {
  const nothing = { exact: [], prefix: [], inside: [] }
  expect(find(create(), '  ')).toEqual(nothing)
  expect(find(create(), 'nothing like it')).toEqual(nothing)
})

test('args: max limits the matches of each kind', () => {
  expect(find(create(), 'pepe', 1)).toEqual({ exact: [0], prefix: [1], inside: [2] })
})

test('args: workMax ends the search of a kind', () => {
  const index = create()
  const found = (workMax: number) => find(index, 'pepe', 10, workMax)
  // The limit allows one comparison per kind; the first token that starts with the word is found
  // already.
  expect(found(2)).toEqual({ exact: [0], prefix: [1], inside: [] })
  expect(found(5)).toEqual({ exact: [0], prefix: [1], inside: [2] })
})
