// Compares rows cached in parts with freshly made rows, over blocks, reverts, late token records
// and passing time.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createServedChain, wallet } from '../../../../../test/support/servedChain.ts'
import type { PairRecord } from '../../model/pair.ts'
import { encodedText, joinBuffers } from '../ground/encodedJson.ts'
import { createMarketRows } from './marketRows.ts'
import { bodyIdsOfTexts } from './prices/bodyIds.ts'

const tokenCount = 6
const names = ['Plain', '狗狗币', 'é "\\" \u0000', '🐸'.repeat(300)]
// Cache sizes: with frequent eviction and parts that do not fit at all, and with room for
// everything.
const bytesMaxes = [1_000, 30_000, 8_000_000]

const move = fc.oneof(
  fc.record({
    type: fc.constant('trade' as const),
    pair: fc.nat({ max: tokenCount * 2 }),
    amount: fc.integer({ min: 1, max: 500 }),
    isBuy: fc.boolean(),
    wallet: fc.nat({ max: 3 }),
  }),
  fc.record({ type: fc.constant('mine' as const), stepS: fc.nat({ max: 400 }) }),
  fc.record({ type: fc.constant('revert' as const) }),
  fc.record({
    type: fc.constant('late' as const),
    token: fc.nat({ max: tokenCount - 1 }),
    decimals: fc.constantFrom(6, 18),
  }),
  fc.record({
    type: fc.constant('wait' as const),
    waitedS: fc.oneof(fc.nat({ max: 70 }), fc.nat({ max: 90_000 })),
  }),
)

const moves = fc.array(move, { minLength: 5, maxLength: 60 })

/** A wrapped coin, a stablecoin, and tokens with a pair against each. */
function createMarket() {
  const chain = createServedChain({ store: createMemoryStore() })
  const weth = chain.token({ symbol: 'WETH' })
  const usdc = chain.token({ symbol: 'USDC', decimals: 6 })
  const pairs: PairRecord[] = [chain.pool(weth, usdc, [1_000, 2_000_000])]
  const tokens = [weth, usdc]
  for (let n = 0; n < tokenCount; n += 1) {
    // Metadata of the last two tokens is still pending.
    const isLate = n >= tokenCount - 2
    const name = isLate ? '' : names[n % names.length]!
    const token = chain.token({ symbol: isLate ? '' : `T${n}`, name })
    tokens.push(token)
    pairs.push(chain.pool(token, weth, [100_000, 10]), chain.pool(token, usdc, [100_000, 19_000]))
    chain.supply(token, { total: 1_000_000 })
  }
  chain.mine()
  chain.mine()
  return { chain, tokens, pairs }
}

test('behavior: cached rows equal newly made rows', () => {
  fc.assert(
    fc.property(moves, fc.constantFrom(...bytesMaxes), (moves, bytesMax) => {
      const { chain, tokens, pairs } = createMarket()
      const { gatewayChain } = chain
      const chains = new Map([[gatewayChain.profile.name, gatewayChain]])
      let waitedS = 0
      const clock = { nowMs: () => (chain.engine.head()!.timeS + waitedS) * 1_000 }
      const kept = createMarketRows(clock, bytesMax)
      const tokenTextOf = (rows: typeof kept, id: number) => {
        const { lasting, moving } = rows.tokenRows.parts(gatewayChain, id)
        return encodedText(joinBuffers([lasting.bytes, moving.bytes]))
      }
      const textsOf = (rows: typeof kept) => [
        ...tokens.flatMap(({ id }) => [
          tokenTextOf(rows, id),
          encodedText(rows.tokenDetail(gatewayChain, id)),
        ]),
        ...pairs.map(({ id }) => encodedText(rows.pairDetail(gatewayChain, id))),
        encodedText(
          rows.priceLines.encodeBatch(
            {
              ids: bodyIdsOfTexts(tokens.map(({ address }) => address)),
              tvlMinUsd: 0,
              volumeMinUsd: 0,
            },
            chains,
            (address) => ({ chain: gatewayChain, address }),
          ),
        ),
      ]
      let mined = 0
      for (const each of moves) {
        if (each.type === 'trade') {
          const pair = pairs[each.pair]!
          const [token0, token1] = [tokens[pair.token0Id]!, tokens[pair.token1Id]!]
          const [tokenIn, amount] = each.isBuy ? [token1, each.amount / 100] : [token0, each.amount]
          chain.trade(pair, tokenIn, amount, wallet(each.wallet))
          continue
        }
        if (each.type === 'mine') {
          // The reader's clock advances with the chain's clock.
          waitedS = Math.max(0, waitedS - each.stepS)
          chain.mine(each.stepS)
          mined += 1
        } else if (each.type === 'late') {
          const { decimals } = each
          const record = tokens[each.token + 2]!
          chain.reportLate([{ ...record, symbol: `L${decimals}`, name: 'Late', decimals }])
        } else if (each.type === 'wait') waitedS += each.waitedS
        else if (mined > 0) {
          chain.revert()
          mined -= 1
        }
        const texts = textsOf(kept)
        expect(texts).toEqual(textsOf(createMarketRows(clock, 8_000_000)))
        expect(textsOf(kept)).toEqual(texts)
      }
    }),
    { numRuns: propertyRuns(80) },
  )
})
