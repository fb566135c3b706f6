import { expect, test } from 'vitest'
import {
  blockOf,
  emptySums,
  fakeReader,
  live,
  openResolver,
} from '../../../../../test/support/resolverFixture.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'

const token: TokenRecord = {
  id: 3,
  address: '0xtoken',
  symbol: 'T',
  name: 'Token',
  decimals: 18,
  isUnreadable: false,
  seenAtS: 1,
}
const pair: PairRecord = {
  id: 4,
  address: '0xpool',
  kind: 'constantProduct',
  token0Id: 3,
  token1Id: 1,
  factory: '0xf',
  amm: 'uniswapv2',
  isTrusted: true,
  feePpm: 500,
  createdAtS: 0,
  platform: null,
  venue: 'uniswapV2',
  params: [],
  pool: null,
  otherIds: [],
}

const answeredQuestions = {
  incompleteTokens: [token],
  uncreatedPairs: [pair],
  uncreatedTokens: [token],
  unsharedPairs: [pair],
}

async function resolveAfter(revert: (resolver: ReturnType<typeof openResolver>) => void) {
  const reader = fakeReader()
  reader.readHistory.mockImplementation(async () => emptySums())
  const resolver = openResolver({ reader, limits: { creationSearchesMax: 10, shareReadsMax: 10 } })
  revert(resolver)
  const histories: number[] = []
  const creations: object[] = []
  const shares: object[] = []
  for (let number = 8; number < 14; number += 1) {
    const block = await resolver.resolve(blockOf(number, []), live)
    histories.push(...block.histories.map(({ tokenId }) => tokenId))
    for (const facts of resolver.takeLateFacts()) {
      creations.push(...(facts.creations ?? []), ...(facts.tokenCreations ?? []))
      shares.push(...(facts.shares ?? []))
    }
  }
  resolver.close()
  return { histories, creations, shares }
}

test('behavior: reverting a block of an earlier run reopens the questions it answered', async () => {
  const { ref } = blockOf(8, [])
  const asked = await resolveAfter((resolver) =>
    resolver.revert(ref, { tokens: [], pairs: [], answeredQuestions }),
  )
  expect(asked.histories).toEqual([3])
  expect(asked.creations).toMatchObject([{ pairId: 4 }, { tokenId: 3 }])
  expect(asked.shares).toEqual([{ pairId: 4, total: 70n }])
})

test('behavior: reverting the block that created a token or pair drops its questions', async () => {
  const asked = await resolveAfter((resolver) => {
    resolver.revert(blockOf(9, []).ref, { tokens: [], pairs: [], answeredQuestions })
    resolver.revert(blockOf(8, []).ref, { tokens: [token], pairs: [pair] })
  })
  expect(asked).toEqual({ histories: [], creations: [], shares: [] })
})
