import { expect, test } from 'vitest'
import {
  blockOf,
  fakeReader,
  live,
  openResolver,
  poolEvent,
} from '../../../../test/support/resolverFixture.ts'

/** Simulates a node that knows the newest supply only. */
function readerAtHead() {
  const reader = fakeReader()
  const named = { symbol: 'T', name: 'T', decimals: 6, isUnreadable: false }
  reader.readTokens.mockImplementation(async (addresses, _at, isLive) =>
    addresses.map(() => ({ ...named, totalSupply: isLive ? 50n : null })),
  )
  return { ...reader, hasNoHistory: true }
}

const block = (number: number) =>
  blockOf(
    number,
    number === 1 ? [poolEvent(0, '0xpool', { token0: '0xaaa', token1: '0xbbb' })] : [],
  )

test('default: the first live block reads supplies of tokens discovered while catching up', async () => {
  const reader = readerAtHead()
  const resolver = openResolver({ reader })
  const behind = { ...live, isLive: false }
  for (const number of [1, 2])
    expect((await resolver.resolve(block(number), behind)).totals).toEqual(new Map())
  expect(reader.readTotals).not.toHaveBeenCalled()
  const { totals } = await resolver.resolve(block(3), live)
  expect(totals).toEqual(
    new Map([
      [0, 60n],
      [1, 60n],
    ]),
  )
  expect((await resolver.resolve(block(4), live)).totals).toEqual(new Map())
  resolver.close()
})

test('behavior: after a restart, supplies of tokens with incomplete holders are read, some per block', async () => {
  const reader = readerAtHead()
  const incompleteTokens = ['0xaaa', '0xbbb', '0xccc'].map((address, id) => {
    const names = { symbol: 'T', name: 'T', decimals: 6, isUnreadable: false, seenAtS: 1 }
    return { id, address, ...names }
  })
  reader.readTotals.mockImplementation(async (addresses) =>
    addresses.map((address) => (address === '0xaaa' ? null : 60n)),
  )
  const limits = { lateTokensMax: 2 }
  const resolver = openResolver({
    reader,
    openQuestions: { incompleteTokens },
    nextTokenId: 3,
    limits,
  })
  const read = async (number: number) => [
    ...(await resolver.resolve(block(number + 1), live)).totals.keys(),
  ]
  expect([await read(1), await read(2)]).toEqual([[1], [2]])
  resolver.close()
})

test('behavior: a supply read with a reverted block is read again', async () => {
  const reader = readerAtHead()
  const resolver = openResolver({ reader })
  await resolver.resolve(block(1), { ...live, isLive: false })
  const { ref } = block(2)
  expect((await resolver.resolve(block(2), live)).totals.size).toBe(2)
  resolver.revert(ref)
  expect((await resolver.resolve(block(2), live)).totals.size).toBe(2)
  resolver.close()
})
