// Random words over a small alphabet, added and removed; every search against a plain scan.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SearchIndex, type SearchTerms } from './searchIndex.ts'

const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'B', 'c'), maxLength })
const terms = fc.record({ symbol: text(5), name: text(9), address: fc.uuid() })

test('behavior: finds what a scan finds', () => {
  fc.assert(
    fc.property(
      fc.array(terms, { maxLength: 40 }),
      fc.array(fc.nat({ max: 39 }), { maxLength: 20 }),
      text(5),
      (tokens, removed, keyword) => {
        const index = new SearchIndex()
        tokens.forEach((token, id) => {
          index.add(id, token)
        })
        const gone = new Set(removed.filter((id) => id < tokens.length))
        for (const id of gone) index.remove(id, tokens[id]!)
        const word = keyword.toLowerCase()
        const words = ({ symbol, name }: SearchTerms) => [symbol.toLowerCase(), name.toLowerCase()]
        const scan = (matches: (word: string) => boolean) =>
          tokens.flatMap((token, id) => (!gone.has(id) && words(token).some(matches) ? [id] : []))
        const exact = word === '' ? [] : scan((other) => other === word)
        const prefix = word === '' ? [] : scan((other) => other.startsWith(word))
        const inside = word.length < 3 ? [] : scan((other) => other.includes(word))
        const found = index.find(keyword, (id) => tokens[id]!, { max: 100, workMax: 10_000 })
        expect([...found.exact]).toEqual(exact)
        expect([...found.prefix].filter((id) => prefix.includes(id))).toEqual(
          prefix.filter((id) => !exact.includes(id)),
        )
        expect([...found.inside].filter((id) => inside.includes(id))).toEqual(
          inside.filter((id) => !prefix.includes(id)),
        )
      },
    ),
  )
})
