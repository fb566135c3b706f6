// Random blocks of transfers and swaps over a few tokens and wallets, applied, reverted and
// persisted in random order. A plain map of balances is the reference. Three ledgers must agree
// with it: one that keeps everything, one with room for two balances, and one that is recreated
// from the store all the time.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  blockOf,
  checkSums,
  createLedgerRows,
  eventsOf,
  type LedgerRows,
  LedgerRun,
  type Step,
  stepArbitrary,
  wallets,
  zero,
} from '../../../../test/support/ledgerRuns.ts'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import type { ResolvedEvent } from '../model/resolvedBlock.ts'

test('behavior: reverts are exact, and neither memory limits nor restarts change the result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 40 }), async (steps) => {
      const runs = [
        new LedgerRun(1_000_000, false),
        new LedgerRun(2, false),
        new LedgerRun(2, true),
      ] as const
      const [truth] = runs
      const snapshots: string[] = []
      let salt = 0
      for (const step of steps) {
        if (step.type === 'apply') {
          const head = truth.chain.at(-1)?.ref
          const events = eventsOf(step.moves)
          const block = blockOf((head?.number ?? 0) + 1, salt++, head?.hash ?? '', events)
          snapshots.push(stateOf(truth))
          const [first, ...others] = await Promise.all(runs.map((run) => run.apply(block)))
          // Last pool states are only in memory; the resolver reports them again after a restart.
          for (const { block: finished, changes, undo } of others) {
            expect({ finished, changes }).toEqual({
              finished: first!.block,
              changes: first!.changes,
            })
            expect(undo.supplies).toEqual(first!.undo.supplies)
          }
          checkSums(truth)
        } else if (step.type === 'revert') {
          if (truth.chain.length === 0) continue
          for (const run of runs) run.revert()
          expect(stateOf(truth)).toBe(snapshots.pop())
        } else for (const run of runs) run[step.type]()
      }
    }),
    { numRuns: propertyRuns(500, { isCheap: true }) },
  )
})

/** The state that all results of a run add up to. The next results of a ledger build on it. */
function stateOf({ chain }: LedgerRun): string {
  const rows = createLedgerRows()
  for (const { result } of chain) {
    rows.write(result.changes, 'after')
    rows.writeSupplies(result.undo)
  }
  const balances = [...rows.balances].filter(([, amount]) => amount !== 0n).sort()
  return [...balances, ...[...rows.supplies.values()].map((supply) => Object.values(supply))].join()
}

// Wallets send at most what they have. A ledger that does not know a balance cannot notice an
// overdraft.
function validEventsOf(moves: Extract<Step, { type: 'apply' }>['moves'], { chain }: LedgerRun) {
  const held = createLedgerRows()
  for (const { result } of chain) held.write(result.changes, 'after')
  const events: ResolvedEvent[] = []
  for (const [index, move] of moves.entries()) {
    const [from, to] = [wallets[move.from]!, wallets[move.to]!]
    const keys = [`${move.token} ${from}`, `${move.token} ${to}`] as const
    const has = chain.length === 0 ? 0n : (held.balances.get(keys[0]) ?? 0n)
    const wanted = BigInt(move.amount)
    const amount = from === zero || wanted < has ? wanted : has
    if (from !== zero) held.balances.set(keys[0], has - amount)
    if (to !== zero) held.balances.set(keys[1], (held.balances.get(keys[1]) ?? 0n) + amount)
    events.push({ type: 'transfer', index, txHash: 't', tokenId: move.token, from, to, amount })
  }
  return events
}

// Regression: a balance that got the store's answer and was evicted came back as another object.
const foundCase = [
  { step: { type: 'apply' as const, moves: [] }, isDown: false },
  { step: { type: 'persist' as const }, isDown: false },
  {
    step: { type: 'apply' as const, moves: [{ token: 0, from: 0, to: 4, amount: 1 }] },
    isDown: true,
  },
  { step: { type: 'apply' as const, moves: [] }, isDown: false },
  { step: { type: 'persist' as const }, isDown: false },
  {
    step: { type: 'apply' as const, moves: [{ token: 0, from: 1, to: 0, amount: 0 }] },
    isDown: false,
  },
  { step: { type: 'revert' as const }, isDown: false },
  { step: { type: 'revert' as const }, isDown: false },
]

// Regression: a balance was requested while the store was down, and reported by a block that was
// reverted before the answer.
const foundStaleCase = [
  { step: { type: 'apply' as const, moves: [] }, isDown: false },
  {
    step: { type: 'apply' as const, moves: [{ token: 0, from: 3, to: 0, amount: 1 }] },
    isDown: false,
  },
  { step: { type: 'persist' as const }, isDown: false },
  {
    step: { type: 'apply' as const, moves: [{ token: 0, from: 0, to: 1, amount: 0 }] },
    isDown: false,
  },
  {
    step: { type: 'apply' as const, moves: [{ token: 0, from: 3, to: 0, amount: 0 }] },
    isDown: true,
  },
  { step: { type: 'revert' as const }, isDown: false },
  { step: { type: 'revert' as const }, isDown: false },
  { step: { type: 'revert' as const }, isDown: false },
]

test('behavior: neither an unreliable store nor a crash changes the final result', async () => {
  const flakyArbitrary = fc.record({ step: stepArbitrary, isDown: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(flakyArbitrary, { maxLength: 40 }), async (steps) => {
      const truth = new LedgerRun(1_000_000, false)
      const flakies = [new LedgerRun(2, false), new LedgerRun(2, true)]
      const all = [truth, ...flakies]
      let salt = 0
      async function apply(moves: Extract<Step, { type: 'apply' }>['moves']) {
        const head = truth.chain.at(-1)?.ref
        const events = validEventsOf(moves, truth)
        const block = blockOf((head?.number ?? 0) + 1, salt++, head?.hash ?? '', events)
        for (const run of all) await run.apply(block)
      }
      for (const { step, isDown } of steps) {
        for (const { rows } of flakies) rows.reader.isDown = isDown
        if (step.type === 'apply') await apply(step.moves)
        else if (step.type !== 'revert' || truth.chain.length > 0)
          for (const run of all) run[step.type]()
        for (const run of flakies) await run.reapplyUnreported()
      }
      for (const { rows } of flakies) rows.reader.isDown = false
      await apply([])
      for (const run of all) run.persist()
      for (const { ledger, rows } of flakies) {
        expect(ledger.stats().unknownCount).toBe(0)
        expect(withoutZeros(rows)).toEqual(withoutZeros(truth.rows))
      }
    }),
    { numRuns: propertyRuns(1500), examples: [[foundCase], [foundStaleCase]] },
  )
})

function withoutZeros({ balances, supplies }: LedgerRows) {
  const held = [...balances].filter(([, amount]) => amount !== 0n)
  return { held: new Map(held), supplies: new Map(supplies) }
}
