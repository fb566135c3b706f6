import { expect, test } from 'vitest'
import {
  blockOf,
  fakeReader,
  live,
  openResolver,
  poolEvent,
  profile,
  zero,
} from '../../../../test/support/resolverFixture.ts'

test('behavior: the native coin takes its metadata from the config, without requests', async () => {
  const reader = fakeReader()
  const native = { ...profile.native, coin: zero }
  const seen = { id: 0, address: zero, symbol: 'ETH', name: 'ETH', decimals: 18 }
  const resolver = openResolver({ profile: { ...profile, native }, reader })
  const block = blockOf(1, [poolEvent(0, '0xpool', { token0: zero, token1: '0xaaa' })])
  resolver.prefetch(block)
  const resolved = await resolver.resolve(block, live)
  expect(resolved.tokens).toMatchObject([
    { ...seen, isUnreadable: false, seenAtS: 101 },
    { id: 1, address: '0xaaa', symbol: 'AAA' },
  ])
  expect(resolved.histories).toMatchObject([{ tokenId: 1 }])
  expect(resolved.totals).toEqual(new Map([[1, 50n]]))
  const asked = [...reader.readTokens.mock.calls, ...reader.readTotals.mock.calls]
  expect(asked.flatMap(([addresses]) => addresses)).not.toContain(zero)
  expect(reader.readHistory.mock.calls.map(([{ token }]) => token)).toEqual(['0xaaa'])
  // After a restart the coin is not scanned either: its holders are never complete.
  const coin = { ...resolved.tokens[0]! }
  const again = openResolver({
    profile: { ...profile, native },
    reader,
    openQuestions: { incompleteTokens: [coin] },
  })
  await again.resolve(blockOf(2, []), live)
  expect(reader.readHistory).toHaveBeenCalledTimes(1)
  for (const one of [resolver, again]) one.close()
})
