// The same market twice: once from transfer events, once from balance events.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  blockOf,
  checkSums,
  createLedgerRows,
  eventsOf,
  LedgerRun,
  stepArbitrary,
  zero,
} from '../../../../test/support/ledgerRuns.ts'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import type { BalanceChange } from '../model/finishedBlock.ts'
import type { ResolvedBlock } from '../model/resolvedBlock.ts'

/**
 * Replaces a block's transfers by balance events: an intermediate and a final balance of each
 * owner.
 * `inParts`: a third of each owner's earlier balance is in an account without events.
 */
function toldByBalances(
  block: ResolvedBlock,
  { chain }: LedgerRun,
  inParts: boolean,
): ResolvedBlock {
  const [rows, last] = [createLedgerRows(), createLedgerRows()]
  for (const { result } of chain) rows.write(result.changes, 'after')
  for (const { result } of chain.slice(0, -1)) last.write(result.changes, 'after')
  const rest = block.events.filter(({ type }) => type !== 'transfer')
  const owners = new Map<string, { tokenId: number; owner: string }>()
  for (const event of block.events)
    if (event.type === 'transfer')
      for (const owner of [event.from, event.to])
        if (owner !== zero)
          owners.set(`${event.tokenId} ${owner}`, { tokenId: event.tokenId, owner })
  const balances = Array.from(owners, ([key, named]) => {
    const amount = rows.balances.get(key) ?? 0n
    const told = { type: 'balance', txHash: 't', ...named } as const
    // The history in the first block contains the balances before it.
    const opening = block.histories.find(({ tokenId }) => tokenId === named.tokenId)
    const before = last.balances.get(key) ?? opening?.balances.get(named.owner) ?? 0n
    const apart = before / 3n < amount ? before / 3n : amount
    if (inParts)
      return [
        { ...told, index: 0, before: before - apart, amount: amount - apart + 5n },
        { ...told, index: 1, before: amount - apart + 5n, amount: amount - apart },
      ]
    return [
      { ...told, index: 0, amount: amount + 5n },
      { ...told, index: 1, amount },
    ]
  })
  return { ...block, events: [...balances.flat(), ...rest] }
}

test('behavior: transfers and balance events give the same holders and exact reverts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 30 }), async (steps) => {
      const moved = new LedgerRun(1_000_000, false)
      const whole = [new LedgerRun(1_000_000, false), new LedgerRun(2, true)] as const
      const inParts = new LedgerRun(1_000_000, false)
      const told = [...whole, inParts]
      let salt = 0
      for (const step of steps) {
        if (step.type === 'apply') {
          const head = moved.chain.at(-1)?.ref
          const events = eventsOf(step.moves)
          const block = blockOf((head?.number ?? 0) + 1, salt++, head?.hash ?? '', events)
          const result = await moved.apply(block)
          for (const run of told) {
            const { changes } = await run.apply(toldByBalances(block, moved, run === inParts))
            expect(byHolder(changes)).toEqual(byHolder(result.changes))
            expect(holdersOf(run)).toEqual(holdersOf(moved))
            checkSums(run)
          }
        } else if (step.type === 'revert') {
          if (moved.chain.length === 0) continue
          for (const run of [moved, ...told]) run.revert()
          for (const run of told) expect(holdersOf(run)).toEqual(holdersOf(moved))
        } else for (const run of [moved, ...told]) run[step.type]()
      }
    }),
    { numRuns: propertyRuns(400, { isCheap: true }) },
  )
})

const byHolder = (changes: readonly BalanceChange[]) =>
  changes
    .map(({ tokenId, wallet, before, after }) => `${tokenId} ${wallet} ${before} ${after}`)
    .sort()

/** All balances and holder counts. The rest of a supply only if all of its holders are known. */
function holdersOf({ chain }: LedgerRun) {
  const rows = createLedgerRows()
  for (const { result } of chain) {
    rows.write(result.changes, 'after')
    rows.writeSupplies(result.undo)
  }
  const balances = [...rows.balances].filter(([, amount]) => amount !== 0n).sort()
  const supplies = [...rows.supplies.values()].map(({ tokenId, holders, burnt, locked }) => {
    return { tokenId, holders, burnt, locked }
  })
  return { balances, supplies: supplies.sort((a, b) => a.tokenId - b.tokenId) }
}
