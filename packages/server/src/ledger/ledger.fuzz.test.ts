// Random blocks of transfers and swaps over a few tokens and wallets, applied, taken back and persisted in random
// order. A plain map of balances, kept beside, is the truth. Three ledgers must agree: one that keeps everything,
// one with room for two balances, and one that is thrown away and made anew from the store all the time.

import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { pairDefaults } from '../../../../test/support/pairDefaults.ts'
import type { BalanceChange } from '../model/balance.ts'
import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { PairRecord } from '../model/pair.ts'
import type { ResolvedBlock, ResolvedEvent } from '../model/resolvedBlock.ts'
import type { TokenSupply } from '../model/token.ts'
import type { BalanceKey, BalanceReader } from './balanceReader.ts'
import { createLedger, type Ledger, type LedgerResult } from './ledger.ts'
import { decodeUndo, encodeUndo, type LedgerUndo } from './undo.ts'

const logger = pino({ level: 'silent' })
const zero = '0x00'
const wallets = [zero, '0xdead', '0xlock', '0xa', '0xb', '0xc', '0xpool']

const profile: ChainProfile = {
  name: 'fuzz',
  native: { symbol: 'ETH', decimals: 18, wrappedToken: '0xweth' },
  stables: [],
  quotes: [],
  venues: [],
  launchPlatforms: [],
  burnAddresses: [zero, '0xdead'],
  lockers: ['0xlock'],
  outOfCirculation: [],
  nativePoolUsdMin: 0,
  reorgDepthMax: 100,
}

const pair: PairRecord = {
  id: 0,
  address: '0xpool',
  kind: 'concentrated',
  token0Id: 0,
  token1Id: 1,
  factory: '0xf',
  amm: 'uniswapv3',
  isTrusted: true,
  feePpm: 500,
  createdAtS: 1,
  platform: null,
  ...pairDefaults,
}

type Step =
  | { type: 'apply'; moves: { token: number; from: number; to: number; amount: number }[] }
  | { type: 'revert' }
  | { type: 'persist' }
  | { type: 'restart' }

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('apply' as const),
      moves: fc.array(
        fc.record({
          token: fc.nat(2),
          from: fc.nat(wallets.length - 1),
          to: fc.nat(wallets.length - 1),
          amount: fc.nat(50),
        }),
        { maxLength: 8 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'revert' as const }) },
  { weight: 2, arbitrary: fc.constant({ type: 'persist' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
)

/** Keeps rows as the store does: forwards by `after`, backwards by `before`. */
function createRows() {
  const balances = new Map<string, bigint>()
  const supplies = new Map<number, TokenSupply>()
  return {
    balances,
    supplies,
    write(changes: readonly BalanceChange[], side: 'before' | 'after') {
      for (const change of changes) balances.set(`${change.tokenId} ${change.wallet}`, change[side])
    },
    writeSupplies(undo: LedgerUndo, side: 'before' | 'after') {
      for (const item of undo.supplies) {
        const supply = item[side]
        if (supply) supplies.set(supply.tokenId, supply)
        else supplies.delete(item.after.tokenId)
      }
    },
    reader: {
      isDown: false as boolean,
      async loadBalances(keys: readonly BalanceKey[]) {
        if (this.isDown) throw new Error('down')
        return keys.map(({ tokenId, wallet }) => balances.get(`${tokenId} ${wallet}`) ?? 0n)
      },
      async loadSupplies(tokenIds: readonly number[]) {
        if (this.isDown) throw new Error('down')
        return tokenIds.flatMap((id) => supplies.get(id) ?? [])
      },
    } satisfies BalanceReader & { isDown: boolean },
  }
}

type Rows = ReturnType<typeof createRows>
type Applied = { ref: BlockRef; result: LedgerResult }

/** One ledger with its store, which is behind until it persists. */
class Run {
  readonly rows: Rows = createRows()
  readonly isForgetful: boolean
  readonly #balancesMax: number
  ledger: Ledger
  chain: Applied[] = []
  /** What the store has not done yet, in order. */
  queue: (() => void)[] = []

  constructor(balancesMax: number, isForgetful: boolean) {
    this.#balancesMax = balancesMax
    this.isForgetful = isForgetful
    this.ledger = this.#open()
  }

  #open(): Ledger {
    const limits = { balancesMax: this.#balancesMax, suppliesMax: this.#balancesMax }
    return createLedger({ profile, balances: this.rows.reader, limits, logger })
  }

  async apply(block: ResolvedBlock): Promise<LedgerResult> {
    const result = await this.ledger.apply(block)
    this.chain.push({ ref: block.ref, result })
    this.queue.push(() => {
      this.rows.write(result.changes, 'after')
      this.rows.writeSupplies(result.undo, 'after')
    })
    return result
  }

  revert(): void {
    const { ref, result } = this.chain.pop()!
    this.ledger.revert(ref, decodeUndo(encodeUndo(result.undo)))
    this.queue.push(() => {
      this.rows.write(result.changes, 'before')
      this.rows.writeSupplies(result.undo, 'before')
    })
  }

  persist(): void {
    for (const write of this.queue) write()
    this.queue = []
    const head = this.chain.at(-1)
    if (head) this.ledger.persisted(head.ref.number)
  }

  restart(): void {
    if (!this.isForgetful) return
    this.persist()
    this.ledger = this.#open()
  }
}

function eventsOf(moves: Extract<Step, { type: 'apply' }>['moves']): ResolvedEvent[] {
  const events: ResolvedEvent[] = moves.map(({ token, from, to, amount }, index) => ({
    type: 'transfer',
    index,
    tokenId: token,
    from: wallets[from]!,
    to: wallets[to]!,
    amount: BigInt(amount),
  }))
  const place = { index: moves.length, txHash: 't', wallet: '0xa', sender: '0xa', to: '0xa' }
  const state = { amount0: 1n, amount1: -1n, reserve0: null, reserve1: null, priceRaw: 1, pair }
  const shift = { type: 'shift', index: moves.length + 1, pair } as const
  return [...events, { type: 'swap', ...place, ...state }, shift]
}

function blockOf(number: number, salt: number, parent: string, events: ResolvedEvent[]) {
  const isFirst = number === 1
  const tokens = [0, 1, 2].map((id) => {
    const text = { address: `0xt${id}`, symbol: 'T', name: 'T' }
    return { id, ...text, decimals: 0, isUnreadable: false, seenAtS: 1 }
  })
  const opening = { balances: new Map([['0xa', 40n]]), voided: 0n, totalSupply: null }
  return {
    ref: {
      number,
      hash: `${number}-${salt}`,
      parentNumber: number - 1,
      parentHash: parent,
      timeS: number,
    },
    receivedMs: 0,
    isLive: false,
    tokens: isFirst ? tokens : [],
    pairs: isFirst ? [pair] : [],
    events,
    firstStates: [],
    unknownPools: new Set(),
    // Token 2 starts incomplete.
    histories: isFirst ? [0, 1].map((tokenId) => ({ tokenId, ...opening })) : [],
    totals: new Map(),
    natives: new Map(),
    nativeUsd: null,
  } satisfies ResolvedBlock
}

test('behavior: reverts are exact, and neither memory nor restarts change the result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 40 }), async (steps) => {
      const runs = [new Run(1_000_000, false), new Run(2, false), new Run(2, true)] as const
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
          // Last pool states are memory only; the resolver gives them anew after a restart.
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
    { numRuns: 500 },
  )
})

/** The state that a chain of results adds up to; the ledger's own view is what its next results rest on. */
function stateOf({ chain }: Run): string {
  const rows = createRows()
  for (const { result } of chain) {
    rows.write(result.changes, 'after')
    rows.writeSupplies(result.undo, 'after')
  }
  const balances = [...rows.balances].filter(([, amount]) => amount !== 0n).sort()
  return [...balances, ...[...rows.supplies.values()].map((supply) => Object.values(supply))].join()
}

function checkSums({ chain }: Run): void {
  const rows = createRows()
  for (const { result } of chain) {
    for (const { tokenId, wallet, before } of result.changes)
      expect(rows.balances.get(`${tokenId} ${wallet}`) ?? 0n).toBe(before)
    rows.write(result.changes, 'after')
    rows.writeSupplies(result.undo, 'after')
  }
  for (const [tokenId, supply] of rows.supplies) {
    const held = wallets.map((wallet) => rows.balances.get(`${tokenId} ${wallet}`) ?? 0n)
    expect(held.every((amount) => amount >= 0n)).toBe(true)
    expect(supply.holders).toBe(held.filter((amount) => amount > 0n).length)
    expect(supply.burnt).toBe(rows.balances.get(`${tokenId} 0xdead`) ?? 0n)
    expect(supply.locked).toBe(rows.balances.get(`${tokenId} 0xlock`) ?? 0n)
    if (supply.isComplete) expect(supply.total).toBe(held.reduce((sum, amount) => sum + amount, 0n))
  }
}

// Only what the sender has is sent: a ledger that does not know a balance cannot see that it was overdrawn.
function validEventsOf(moves: Extract<Step, { type: 'apply' }>['moves'], { chain }: Run) {
  const held = createRows()
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
    events.push({ type: 'transfer', index, tokenId: move.token, from, to, amount })
  }
  return events
}

// Found once: a balance that was settled and had left the memory came back as another entry.
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

// Found: a balance that was asked for while the store was down, told by a block that was taken back before the answer.
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

test('behavior: a store that is down now and then changes nothing in the end', async () => {
  const flakyArbitrary = fc.record({ step: stepArbitrary, isDown: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(flakyArbitrary, { maxLength: 40 }), async (steps) => {
      const truth = new Run(1_000_000, false)
      const flaky = new Run(2, false)
      let salt = 0
      async function apply(moves: Extract<Step, { type: 'apply' }>['moves']) {
        const head = truth.chain.at(-1)?.ref
        const events = validEventsOf(moves, truth)
        const block = blockOf((head?.number ?? 0) + 1, salt++, head?.hash ?? '', events)
        for (const run of [truth, flaky]) await run.apply(block)
      }
      for (const { step, isDown } of steps) {
        flaky.rows.reader.isDown = isDown
        if (step.type === 'apply') await apply(step.moves)
        else if (step.type === 'persist') for (const run of [truth, flaky]) run.persist()
        else if (step.type === 'revert' && truth.chain.length > 0)
          for (const run of [truth, flaky]) run.revert()
      }
      flaky.rows.reader.isDown = false
      await apply([])
      expect(flaky.ledger.stats().unknownCount).toBe(0)
      for (const run of [truth, flaky]) run.persist()
      expect(withoutZeros(flaky.rows)).toEqual(withoutZeros(truth.rows))
    }),
    { numRuns: 1500, examples: [[foundCase], [foundStaleCase]] },
  )
})

function withoutZeros({ balances, supplies }: Rows) {
  const held = [...balances].filter(([, amount]) => amount !== 0n)
  return { held: new Map(held), supplies: new Map(supplies) }
}
