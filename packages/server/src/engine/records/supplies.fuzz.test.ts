// Compares supplies that blocks set, revert and finalize with a list of the value of every block.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TokenSupply } from '../../model/token.ts'
import { MarketMemory } from '../pages/marketMemory.ts'
import { Supplies } from './supplies.ts'

const tokenCount = 3
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.constant(0n))
const supply = fc.record(
  {
    tokenId: fc.nat({ max: tokenCount - 1 }),
    total: amount,
    burnt: amount,
    locked: amount,
    other: amount,
    holders: fc.nat(),
    isComplete: fc.boolean(),
  },
  { noNullPrototype: true },
)
/** Steps: a block sets supplies, the newest block is reverted, or the oldest becomes final. */
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('block' as const), supplies: fc.array(supply) }),
    fc.record({ type: fc.constantFrom('revert' as const, 'finalize' as const) }),
    fc.record({ type: fc.constant('base' as const), supply }),
  ),
  { maxLength: 40 },
)

test('behavior: the supply of the newest block counts', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const supplies = new Supplies(new MarketMemory())
      for (let id = 0; id < tokenCount; id += 1) supplies.addUnknown()
      const final = new Map<number, TokenSupply>()
      const blocks: { number: number; said: Map<number, TokenSupply> }[] = []
      for (const [index, step] of all.entries()) {
        if (step.type === 'block') {
          for (const each of step.supplies) supplies.set(each, index)
          blocks.push({ number: index, said: new Map(step.supplies.map((s) => [s.tokenId, s])) })
        } else if (step.type === 'base') {
          supplies.set(step.supply, null)
          final.set(step.supply.tokenId, step.supply)
        } else {
          const block = step.type === 'revert' ? blocks.pop() : blocks.shift()
          for (const [id, said] of block?.said ?? []) {
            supplies[step.type](id, block!.number)
            if (step.type === 'finalize') final.set(id, said)
          }
        }
        const expected = Array.from({ length: tokenCount }, (_, id) => {
          const newest = blocks.findLast(({ said }) => said.has(id))
          return newest?.said.get(id) ?? final.get(id) ?? null
        })
        expect(expected.map((_, id) => supplies.get(id))).toStrictEqual(expected)
        const counts = expected.map((each) => each?.holders ?? null)
        expect(expected.map((_, id) => supplies.holders(id))).toStrictEqual(counts)
      }
    }),
  )
})
