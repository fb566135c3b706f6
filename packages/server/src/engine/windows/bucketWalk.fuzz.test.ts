// Hours of trades on two pairs, with reverts. Compares windows of an engine that is read all the
// time with those of an engine that was never read before.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import {
  createServedChain,
  servedProfile,
  wallet,
} from '../../../../../test/support/servedChain.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import { createEngine, type Engine } from '../engine.ts'
import { windowsS } from '../marketReads.ts'

const moves = fc.array(
  fc.record({
    kind: fc.oneof(
      { arbitrary: fc.constant('trade' as const), weight: 30 },
      { arbitrary: fc.constantFrom('revert' as const, 'read' as const), weight: 8 },
      { arbitrary: fc.constant('jump' as const), weight: 1 },
    ),
    isSecond: fc.boolean(),
    isBuy: fc.boolean(),
    share: fc.integer({ min: 1, max: 100 }),
    stepS: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 130 })),
    // So few traders that round trips across minutes are common.
    trader: fc.nat({ max: 2 }),
  }),
  { minLength: 60, maxLength: 160 },
)

function windowsOf(engine: Engine, nowS: number) {
  return windowsS.map((_, window) => [
    ...[0, 1].map((pairId) => engine.pairWindow(pairId, window, nowS)),
    ...[0, 2].map((tokenId) => engine.tokenWindow(tokenId, window, nowS)),
  ])
}

/** Reads of parts of a window must equal the whole window. */
function expectParts(engine: Engine, nowS: number): void {
  for (const tokenId of [0, 1, 2])
    for (let window = 0; window < windowsS.length; window += 1) {
      const whole = engine.tokenWindow(tokenId, window, nowS)
      const { makers: _, buyers: __, sellers: ___, ...trading } = whole
      expect(engine.tokenTrading(tokenId, window, nowS)).toEqual(trading)
      if (window < windowsS.length - 1) continue
      const volumeUsd = Number(whole.buyVolumeUsdE8 + whole.sellVolumeUsdE8) / 1e8
      expect(engine.tokenDayVolumeUsd(tokenId, nowS)).toBe(volumeUsd)
    }
}

function createMarket() {
  const chain = createServedChain({ store: createMemoryStore() })
  const entries: LogEntry[] = []
  const { apply } = chain.engine
  chain.engine.apply = (entry) => {
    entries.push(entry)
    return apply.call(chain.engine, entry)
  }
  const [weth, usdc, token] = [chain.token(), chain.token({ decimals: 6 }), chain.token()]
  const pools = [
    { pair: chain.pool(weth, usdc, [10_000, 20_000_000]), tokens: [weth, usdc], amounts: [1, 2e3] },
    { pair: chain.pool(token, weth, [1_000_000, 500]), tokens: [token, weth], amounts: [1e3, 1] },
  ] as const
  chain.mine()
  return { chain, entries, pools }
}

test('behavior: earlier reads do not change later ones', () => {
  fc.assert(
    fc.property(moves, fc.nat({ max: 90_000 }), (steps, laterS) => {
      const { chain, entries, pools } = createMarket()
      let blocks = 0
      for (const { kind, isSecond, isBuy, share, stepS, trader } of steps) {
        if (kind === 'revert' && blocks > 0) {
          chain.revert()
          blocks -= 1
        } else if (kind === 'read') windowsOf(chain.engine, chain.engine.head()!.timeS + stepS)
        else {
          const { pair, tokens, amounts } = pools[isSecond ? 1 : 0]
          const side = isBuy ? 1 : 0
          chain.trade(pair, tokens[side], (amounts[side] * share) / 100, wallet(trader))
          chain.mine(kind === 'jump' ? stepS * 40 : stepS)
          blocks += 1
        }
        windowsOf(chain.engine, chain.engine.head()!.timeS)
      }
      const unread = createEngine({ profile: servedProfile('local') })
      for (const entry of entries) unread.apply(entry)
      const headS = chain.engine.head()!.timeS
      for (const nowS of [headS, headS + 60, headS + laterS]) {
        expect(windowsOf(chain.engine, nowS)).toEqual(windowsOf(unread, nowS))
        expectParts(chain.engine, nowS)
      }
    }),
    { numRuns: propertyRuns(30) },
  )
})
