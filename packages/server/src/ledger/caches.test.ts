import { expect, test } from 'vitest'
import { BalanceCache } from './caches.ts'

const wallets = (book: BalanceCache) => [...book.entries()].map(({ wallet }) => wallet)

/** A cache whose balances are stored and unused since the last eviction. */
function bookOf(count: number): BalanceCache {
  const book = new BalanceCache()
  for (let at = 0; at < count; at++) book.add(at % 2, `0x${at}`, 5n).isUsed = false
  return book
}

test('behavior: eviction shrinks the cache to its limit and names the tokens', () => {
  const book = bookOf(10)
  const tokens: number[] = []
  book.evict(4, 0, (tokenId) => tokens.push(tokenId))
  expect([book.size, wallets(book).length, tokens.length]).toEqual([4, 4, 6])
})

test('behavior: eviction continues where it stopped, and wraps around at the end', () => {
  const book = bookOf(6)
  book.evict(5, 0, () => undefined)
  const [gone] = ['0x0', '0x1', '0x2', '0x3', '0x4', '0x5'].filter(
    (wallet) => !wallets(book).includes(wallet),
  )
  expect(gone).toBe('0x0')
  // Used balances are spared once, so the hand passes the whole cache.
  for (const entry of book.entries()) entry.isUsed = true
  book.evict(2, 0, () => undefined)
  expect(book.size).toBe(2)
})

test('behavior: unstored balances, and those that undo records refer to, stay beyond the limit', () => {
  const book = bookOf(6)
  const [changed, unanswered, dirty, held] = [...book.entries()]
  Object.assign(changed!, { amount: 6n })
  Object.assign(unanswered!, { stored: null })
  Object.assign(dirty!, { dirtyUntil: 9 })
  Object.assign(held!, { undoRefCount: 1 })
  book.evict(0, 8, () => undefined)
  expect(book.size).toBe(4)
  Object.assign(dirty!, { dirtyUntil: 8 })
  book.evict(0, 8, () => undefined)
  expect(book.size).toBe(3)
})
