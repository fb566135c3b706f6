import { expect, test } from 'vitest'
import { createTokenImages, type TokenImagesLimits } from './tokenImages.ts'

/** A reader whose answers the test resolves by hand. */
function open(limits: Partial<TokenImagesLimits> = {}) {
  const asked: { tokens: readonly string[]; answer(images: Record<string, string>): void }[] = []
  const clock = { ms: 0, nowMs: () => clock.ms }
  const images = createTokenImages({
    clock,
    limits,
    readImages: (tokens) =>
      new Promise((resolve) => {
        asked.push({ tokens, answer: (found) => resolve(new Map(Object.entries(found))) })
      }),
  })
  return { asked, clock, images }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('default: fetches the image of a shown token once, for the next caller', async () => {
  const { asked, images } = open()
  expect(['a', 'b', 'a'].map((token) => images.of(token))).toEqual(['', '', ''])
  asked[0]!.answer({ a: 'https://a.example/a.png' })
  await settled()
  expect(images.of('a')).toBe('https://a.example/a.png')
  expect(asked.map(({ tokens }) => tokens)).toEqual([['a'], ['b']])
  asked[1]!.answer({})
  await settled()
  expect(images.of('b')).toBe('')
  expect(asked).toHaveLength(2)
})

test('behavior: fetches batch after batch, with a bounded queue', async () => {
  const { asked, images } = open({ batchMax: 2, queueMax: 4 })
  for (const token of 'abcdefg') images.of(token)
  asked[0]!.answer({})
  await settled()
  expect(asked[1]!.tokens).toEqual(['b', 'c'])
  asked[1]!.answer({})
  await settled()
  expect(asked[2]!.tokens).toEqual(['d'])
})

test('behavior: refreshes an old image, sooner if there was none, and keeps it meanwhile', async () => {
  const { asked, clock, images } = open({ ageMsMax: 100, emptyAgeMsMax: 10 })
  images.of('a')
  asked[0]!.answer({ a: 'url' })
  await settled()
  clock.ms = 99
  images.of('a')
  expect(asked).toHaveLength(1)
  clock.ms = 100
  expect(images.of('a')).toBe('url')
  asked[1]!.answer({ a: '' })
  await settled()
  expect(images.of('a')).toBe('url')
  clock.ms = 110
  images.of('a')
  expect(asked).toHaveLength(3)
})

test('behavior: bounds the number of cached tokens', async () => {
  const { asked, images } = open({ tokensMax: 1 })
  for (const [at, token] of ['a', 'b'].entries()) {
    images.of(token)
    asked[at]!.answer({ [token]: token })
    await settled()
  }
  expect([images.of('b'), images.of('a')]).toEqual(['b', ''])
})
