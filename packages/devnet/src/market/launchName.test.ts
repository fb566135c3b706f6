import { expect, test } from 'vitest'
import { launchName } from './launchName.ts'
import { listings } from './listings.ts'

test('default: words that read well, and a symbol of both', () => {
  expect(launchName(0)).toEqual({ name: 'Turbo Otter', symbol: 'TUOTT' })
  expect(launchName(1)).toEqual({ name: 'Based Frog', symbol: 'BAFRO' })
})

test('behavior: no name and no symbol comes twice, nor is one of a listed token', () => {
  // One a minute for two days.
  const made = Array.from({ length: 3_000 }, (_, index) => launchName(index))
  const taken = [...listings, { name: 'Wrapped Ether', symbol: 'WETH' }]
  for (const key of ['name', 'symbol'] as const) {
    const words = [...taken, ...made].map((token) => token[key].toLowerCase())
    expect(new Set(words).size).toBe(words.length)
  }
})
