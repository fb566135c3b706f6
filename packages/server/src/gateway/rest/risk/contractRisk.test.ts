import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'
import { creatorRecordOf } from './contractRisk.ts'

const known = {
  score: 100,
  isMintable: null,
  isHoneypot: true,
  lp: null,
  checkedBlock: 1,
  creator: null,
  createdAtS: null,
  level: -1 as const,
}

test('default: launched and checked tokens of a creator are counted once each', () => {
  const { chain } = createServedMarket({})
  const { launched, traded } = fillMarket(chain)
  const checked = traded[0]!.token.address
  const { gatewayChain } = chain
  gatewayChain.risk = {
    ...gatewayChain.risk,
    madeBy: (creator) => (creator === wallet(7) ? [checked, launched.onCurve.token.address] : []),
    known: (address) => (address === checked ? known : null),
  }
  const launches = gatewayChain.reads.launchedBy(wallet(7), 10).length
  expect(launches).toBe(Object.keys(launched).length)
  const { tokens, honeypots } = creatorRecordOf(
    ...([gatewayChain, wallet(7), launched.onCurve.token.address] as const),
  )
  expect({ tokens, honeypots }).toEqual({ tokens: launches, honeypots: 1 })
  expect(creatorRecordOf(gatewayChain, wallet(8), checked)).toEqual({
    tokens: 0,
    honeypots: 0,
    dead: 0,
  })
})

test('behavior: tokens without recent trades are dead', () => {
  const { chain } = createServedMarket({})
  const { launched } = fillMarket(chain)
  const recordOf = () =>
    creatorRecordOf(chain.gatewayChain, wallet(7), launched.onCurve.token.address)
  const before = recordOf()
  expect(before.dead).toBeLessThan(before.tokens)
  chain.mine(7 * 86_400)
  expect(recordOf()).toEqual({ ...before, dead: before.tokens })
})
