import { expect, test } from 'vitest'
import { AddressChannels, AddressIndex } from './addressIndex.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { Subscriber } from './feed.ts'

/** A market that knows these addresses, in the order of their ids. */
function openMarket(pairs: string[] = [], tokens: string[] = []) {
  const idIn = (list: string[]) => (address: string) => {
    const at = list.indexOf(address)
    return at < 0 ? null : at
  }
  const reads = {
    findPair: idIn(pairs),
    findToken: idIn(tokens),
    pairCount: () => pairs.length,
    tokenCount: () => tokens.length,
  }
  return { chain: { reads }, recent: { seq: 7 } } as unknown as ChainMarket
}

function openIndex(pairs?: string[], tokens?: string[]) {
  let made = 0
  return new AddressIndex(openMarket(pairs, tokens), () => {
    made += 1
    return made
  })
}

/** What the index returns for ids 0 to 3. */
function foundBy(index: AddressIndex<unknown>) {
  const ids = [0, 1, 2, 3]
  return {
    pairs: ids.map((id) => index.findByPair(id)?.address ?? ''),
    tokens: ids.map((id) => index.findByToken(id)?.address ?? ''),
  }
}

test('an address is found by its ids as soon as it is opened, and shares one value', () => {
  const index = openIndex(['p0', 'p1'], ['t0', 'p1'])
  const entry = index.findOrAdd('p1')
  expect(entry).toEqual({ address: 'p1', pairId: 1, tokenId: 1, value: 1 })
  expect(index.findOrAdd('p1')).toBe(entry)
  expect(index.findOrAdd('t0')).toMatchObject({ pairId: -1, tokenId: 0, value: 2 })
  expect(index.findOrAdd('nothing')).toMatchObject({ pairId: -1, tokenId: -1, value: 3 })
  expect(index.find('p1')).toBe(entry)
  expect(index.find('p0')).toBeUndefined()
  expect([index.size, index.hasTokens]).toEqual([3, true])
  expect(foundBy(index)).toEqual({ pairs: ['', 'p1', '', ''], tokens: ['t0', 'p1', '', ''] })
  expect([...index.entries()].map(({ address }) => address)).toEqual(['p1', 't0', 'nothing'])
})

test('a deleted address is found in no way, also if its ids came later', () => {
  const index = openIndex(['p0'])
  for (const address of ['p0', 'later', 'token']) index.findOrAdd(address)
  index.pairAdded(2, 'later')
  index.tokenAdded(3, 'token')
  index.pairAdded(1, 'of nobody')
  index.tokenAdded(1, 'of nobody')
  expect(foundBy(index)).toEqual({ pairs: ['p0', '', 'later', ''], tokens: ['', '', '', 'token'] })
  expect(index.find('later')).toMatchObject({ pairId: 2, tokenId: -1 })
  for (const address of ['p0', 'later', 'token']) index.delete(index.find(address)!)
  expect(foundBy(index)).toEqual({ pairs: ['', '', '', ''], tokens: ['', '', '', ''] })
  expect([index.size, index.hasTokens]).toEqual([0, false])
})

test('ids that a revert took away are forgotten, the others stay', () => {
  const [pairs, tokens] = [
    ['p0', 'p1', 'p2'],
    ['t0', 't1', 't2'],
  ]
  const index = openIndex(pairs, tokens)
  for (const address of [...pairs!, ...tokens!]) index.findOrAdd(address)
  pairs!.length = 1
  tokens!.length = 2
  index.unbindFreedIds()
  expect(foundBy(index)).toEqual({ pairs: ['p0', '', '', ''], tokens: ['t0', 't1', '', ''] })
  expect(index.find('p1')).toMatchObject({ pairId: -1 })
  expect(index.find('t2')).toMatchObject({ tokenId: -1 })
  expect(index.find('t1')).toMatchObject({ tokenId: 1 })
  expect(index.size).toBe(6)
})

test('another market in its place gives every address its new ids', () => {
  const [pairs, tokens] = [['a', 'b'], ['c']]
  const index = openIndex(pairs, tokens)
  for (const address of ['a', 'b', 'c']) index.findOrAdd(address)
  pairs!.splice(0, 2, 'x', 'a')
  tokens!.splice(0, 1, 'b')
  index.rebind()
  expect(foundBy(index)).toEqual({ pairs: ['', 'a', '', ''], tokens: ['b', '', '', ''] })
  expect(index.find('c')).toMatchObject({ pairId: -1, tokenId: -1 })
})

test('a channel lives as long as somebody is subscribed to its address', () => {
  const channels = new AddressChannels(openMarket(['p0']))
  const subscriber = () => ({ options: { revisions: false } }) as unknown as Subscriber
  const [one, two] = [subscriber(), subscriber()]
  const target = { address: 'p0' } as never
  channels.join(target, one, 0)
  channels.join(target, two, 0)
  expect(channels.channels().map(({ size }) => size)).toEqual([2])
  channels.leave(target, one)
  expect(channels.findByPair(0)?.value.size).toBe(1)
  channels.leave(target, two)
  expect(channels.channels()).toEqual([])
  expect(channels.findByPair(0)).toBeUndefined()
  channels.leave(target, two)
})
