import { expect, test } from 'vitest'
import type { EvmHeader } from '../fetch/rawBlock.ts'
import { findFork } from './reorg.ts'

type Chain = ReadonlyMap<number, string>

const header = (number: number, hash: string, parentHash: string): EvmHeader => ({
  number,
  hash,
  parentHash,
  timeS: number,
  bloom: null,
  receiptsRoot: null,
  isProven: false,
})

/** Branch letters for each number: block 5 of branch b is `5b`. */
function chainOf(letters: string, first = 0): Chain {
  return new Map([...letters].map((letter, at) => [first + at, `${first + at}${letter}`]))
}

function search(ours: Chain, theirs: Chain, at: number) {
  const byHash = new Map([...theirs].map(([number, hash]) => [hash, number]))
  const headerAt = (number: number) =>
    header(number, theirs.get(number)!, theirs.get(number - 1) ?? 'none')
  return findFork({
    header: headerAt(at),
    hashAt: (number) => ours.get(number),
    fetchHeader: async (hash) => (byHash.has(hash) ? headerAt(byHash.get(hash)!) : null),
  })
}

test.each([
  ['aaaaa', 'aaaab', 4, 3],
  ['aaaaa', 'aaabbb', 5, 2],
  ['aaaaa', 'abbbb', 4, 0],
  ['aaaaa', 'abbbb', 2, 0],
])('default: %s and %s part after the block', async (ours, theirs, at, ancestorNumber) => {
  const fork = await search(chainOf(ours), chainOf(theirs), at)
  expect(fork).toEqual({ type: 'fork', ancestorNumber })
})

test('behavior: deeper than what we hold', async () => {
  const fork = await search(chainOf('aa', 5), chainOf('aaabbbbb'), 7)
  expect(fork).toEqual({ type: 'tooDeep' })
})

test('behavior: blocks that we did not read are passed over', async () => {
  const theirs = chainOf('aaaaabb')
  const byHash = new Map([...theirs].map(([number, hash]) => [hash, number]))
  const headerAt = (number: number) => header(number, theirs.get(number)!, theirs.get(number - 1)!)
  const ours = new Map([
    [2, '2a'],
    [6, '6a'],
  ])
  const fork = await findFork({
    header: headerAt(6),
    hashAt: (number) => (number < 2 ? undefined : (ours.get(number) ?? null)),
    fetchHeader: async (hash) => headerAt(byHash.get(hash)!),
  })
  expect(fork).toEqual({ type: 'fork', ancestorNumber: 2 })
})

test('behavior: chains with nothing in common', async () => {
  const fork = await search(chainOf('aaa'), chainOf('bbbb'), 3)
  expect(fork).toEqual({ type: 'tooDeep' })
})

test('behavior: an invented parent leads nowhere, and is never too deep', async () => {
  const fork = await findFork({
    header: header(5, '5x', 'invented'),
    hashAt: () => undefined,
    fetchHeader: async () => null,
  })
  expect(fork).toEqual({ type: 'unknown' })
})

test('behavior: a parent with another number or hash is not followed', async () => {
  const wrong = [header(3, '4b', '3b'), header(4, '4c', '3b')]
  for (const parent of wrong) {
    const fork = await findFork({
      header: header(5, '5b', '4b'),
      hashAt: () => 'ours',
      fetchHeader: async () => parent,
    })
    expect(fork).toEqual({ type: 'unknown' })
  }
})
