// Compares the engine, which judges only tokens that a block touched or whose result may have
// changed, with a model that judges every token after every block by the documented rule, from
// reserves and rates. Some blocks are reverted.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  pair,
  sync,
  token,
  tokens,
} from '../../../../../test/support/marketChain.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import type { FinishedEvent } from '../../model/finishedBlock.ts'

const leadRatio = 1.1
// Required lead in seconds; there is one block per second.
const leadS = 5
const leadBlocksMin = 3

// Pair 0 prices the native token (0), pair 1 the lower quote asset (3). The other pairs are those
// of tokens 4 to 7.
const quotes = [
  [0, 1],
  [0, 1, 3],
  [0, 0, 1],
  [1, 2, 3],
] as const
const rivals = quotes.flatMap((ofToken, index) =>
  ofToken.map((quoteId) => ({ tokenId: 4 + index, quoteId })),
)

type Judged = { main: number; challenger: number; since: number }

const none: Judged = { main: -1, challenger: -1, since: 0 }

function judge(before: Judged, usd: ReadonlyMap<number, number>, block: number): Judged {
  const [best] = [...usd].reduce((a, b) => (b[1] > a[1] ? b : a), [-1, 0])
  if (best < 0) return before
  if (before.main < 0) return { ...none, main: best }
  const leads = (pairId: number) =>
    pairId >= 0 && pairId !== before.main && usd.get(pairId)! >= usd.get(before.main)! * leadRatio
  let { challenger, since } = before
  if (!leads(challenger)) {
    challenger = leads(best) ? best : -1
    since = challenger < 0 ? 0 : block
  }
  if (challenger < 0 || block - since < leadS) return { main: before.main, challenger, since }
  return judge({ ...none, main: challenger }, usd, block)
}

const amount = fc.integer({ min: 500, max: 2_000 })
const moves = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('rate' as const),
        pairId: fc.nat({ max: 1 }),
        amount,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('drift' as const),
        percent: fc.integer({ min: -30, max: 30 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('rival' as const),
        place: fc.nat({ max: rivals.length - 1 }),
        amount,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('quiet' as const),
        count: fc.integer({ min: 1, max: 6 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('revert' as const),
        count: fc.integer({ min: 1, max: 8 }),
      }),
    },
  ),
  { minLength: 10, maxLength: 60 },
)

/** Initial quote reserves, which have similar values in USD at the initial rates. */
const startOf = { 0: 1_000, 1: 2_000_000, 2: 2_000_000, 3: 4_000 }

test('behavior: main pairs equal those of a model that judges every token after every block', () => {
  fc.assert(
    fc.property(moves, (steps) => {
      const { engine, commit, revert } = createChain({
        mainPairLeadS: leadS,
        mainPairLeadBlocksMin: leadBlocksMin,
      })
      const reserves = rivals.map(({ quoteId }) => startOf[quoteId])
      const history: { judged: Judged[]; reserves: number[]; nativeUsd: number }[] = []
      let judged = quotes.map(() => none)
      let nativeUsd = 2_000

      function mine(parts: Parameters<typeof commit>[0]): void {
        const events = commit(parts)
        const usdOf = (quoteId: number) => engine.tokenState(quoteId).price?.usd ?? 0
        const before = judged
        judged = quotes.map((_, index) => {
          const usd = new Map<number, number>()
          for (const [place, { tokenId, quoteId }] of rivals.entries())
            if (tokenId === 4 + index) usd.set(place + 2, reserves[place]! * usdOf(quoteId))
          return judge(before[index]!, usd, history.length)
        })
        history.push({ judged, reserves: [...reserves], nativeUsd })
        const switches = judged.flatMap(({ main }, index) =>
          before[index]!.main < 0 || before[index]!.main === main ? [] : [[4 + index, main]],
        )
        const told = eventsOfType(events, 'mainPair').map(({ tokenId, newPairId }) => [
          tokenId,
          newPairId,
        ])
        expect(told.sort()).toEqual(switches.sort())
        for (const [index, { main }] of judged.entries())
          expect(engine.mainPairOf(4 + index) ?? -1).toBe(main)
      }

      const rivalSync = (place: number): FinishedEvent => sync(place + 2, 2_000, reserves[place]!)
      mine({
        tokens: [...tokens, token(6), token(7)],
        pairs: [
          pair(0, 0, 1),
          pair(1, 3, 0),
          ...rivals.map(({ tokenId, quoteId }, place) => pair(place + 2, tokenId, quoteId)),
        ],
        events: [
          sync(0, 1_000, 2_000_000),
          sync(1, 4_000, 1_000),
          ...rivals.map((_, place) => rivalSync(place)),
        ],
      })
      for (const step of steps) {
        if (step.kind === 'rate') {
          if (step.pairId === 0) nativeUsd = step.amount * 2
          mine({
            events: [
              step.pairId === 0 ? sync(0, 1_000, nativeUsd * 1_000) : sync(1, 4_000, step.amount),
            ],
          })
        } else if (step.kind === 'drift') {
          // Several small movements of rates, of which only the sum matters.
          for (let left = 4; left > 0; left -= 1) {
            nativeUsd = Math.max(1, Math.round(nativeUsd * (1_000 + step.percent)) / 1_000)
            mine({ events: [sync(0, 1_000, Math.round(nativeUsd * 1_000))] })
          }
        } else if (step.kind === 'rival') {
          const { place } = step
          reserves[place] = Math.round((startOf[rivals[place]!.quoteId] * step.amount) / 1_000)
          mine({ events: [rivalSync(place)] })
        } else if (step.kind === 'quiet')
          for (let left = step.count; left > 0; left -= 1) mine({ events: [rivalSync(0)] })
        else
          for (let left = step.count; left > 0 && history.length > 1; left -= 1) {
            revert()
            history.pop()
            const last = history.at(-1)!
            judged = last.judged
            nativeUsd = last.nativeUsd
            reserves.splice(0, reserves.length, ...last.reserves)
          }
      }
    }),
    { numRuns: propertyRuns(100) },
  )
})
