import { zeroAddress } from '../../decode/evm/erc20.ts'
import type { DecodedSwap, DecodedTransfer } from '../../model/decodedBlock.ts'
import type { TokenTraces } from './venueTraces.ts'

/** A token that may be one side of a swap. */
export type Candidate = { token: string; score: number; distance: number }

/** How much a trace says, from a guess to as good as the pool's own word. */
export const score = {
  touched: 1,
  anywhere: 2,
  wrapped: 3,
  held: 4,
  sum: 5,
  exact: 6,
} as const

/** What the other pools of a transaction took and paid, as far as their tokens are known. */
export type Payments = readonly Pick<DecodedTransfer, 'token' | 'amount' | 'index'>[]

export type CandidateTerms = {
  traces: TokenTraces
  /** The token that the native coin is wrapped into; empty: not known. */
  wrapped: string
  paid: Payments
  /** Amounts of other swaps with the same manager, signed as their pools see them: transfers of these are theirs. */
  others: ReadonlySet<bigint>
}

type Held = Candidate & { sum: bigint; net: bigint }

/** Tokens that may have moved as one side of a swap, by how well their transfers fit it. */
export function candidatesOf(
  swap: DecodedSwap,
  transfers: readonly DecodedTransfer[],
  signed: bigint,
  terms: CandidateTerms,
): Candidate[] {
  // Whatever moved is no trace of nothing.
  if (signed === 0n) return []
  const isIn = signed > 0n
  const amount = isIn ? signed : -signed
  const held = heldOf(swap, transfers, signed, terms)
  const elsewhere = new Map<string, Candidate>()
  const noteElsewhere = (token: string, points: number, distance: number) => {
    const known = elsewhere.get(token) ?? { token, score: 0, distance }
    elsewhere.set(token, known)
    keepBetter(known, points, distance)
  }
  const coin = terms.traces.hasNative ? terms.wrapped : ''
  for (const transfer of transfers) {
    const { token, from, to, amount: moved } = transfer
    if (token === swap.pool || moved !== amount || isHeldOf(swap, transfer, isIn, terms)) continue
    // Unwrapped for the pool, or wrapped after it: what the pool had of it was the coin itself.
    const isCoin = token === coin && (isIn ? to : from) === zeroAddress
    const points = isCoin
      ? score.wrapped
      : isMade(transfer, isIn, terms)
        ? score.touched
        : score.anywhere
    noteElsewhere(isCoin ? zeroAddress : token, points, distanceOf(swap, transfer))
  }
  for (const { token, amount: moved, index } of terms.paid)
    if (moved === -signed) noteElsewhere(token, score.anywhere, Math.abs(index - swap.index))
  for (const [token, candidate] of elsewhere) {
    const known = held.get(token)
    if (known) keepBetter(known, candidate.score, candidate.distance)
  }
  return [...held.values(), ...[...elsewhere.values()].filter(({ token }) => !held.has(token))]
}

/** What the pool, or whoever keeps it, was given or gave. */
function heldOf(
  swap: DecodedSwap,
  transfers: readonly DecodedTransfer[],
  signed: bigint,
  terms: CandidateTerms,
): Map<string, Held> {
  const isIn = signed > 0n
  const amount = isIn ? signed : -signed
  const held = new Map<string, Held>()
  const back = new Map<string, bigint>()
  for (const transfer of transfers) {
    const { token, amount: moved } = transfer
    // Shares of the pool itself are not traded in it.
    if (token === swap.pool || moved === 0n) continue
    if (isHeldOf(swap, transfer, !isIn, terms)) back.set(token, (back.get(token) ?? 0n) + moved)
    if (!isHeldOf(swap, transfer, isIn, terms)) continue
    const distance = distanceOf(swap, transfer)
    const known = held.get(token) ?? { token, score: 0, distance, sum: 0n, net: 0n }
    held.set(token, known)
    known.sum += moved
    const touch = swap.manager === undefined ? score.held : score.touched
    if (moved === amount) keepBetter(known, score.exact, distance)
    // What came in as one coin may be reported as another one: a different amount says nothing.
    else if (terms.traces.isUnderlying) continue
    else if (!terms.others.has(isIn ? moved : -moved)) keepBetter(known, touch, distance)
  }
  for (const candidate of held.values()) {
    const net = candidate.sum - (back.get(candidate.token) ?? 0n)
    if (candidate.sum === amount || net === amount)
      keepBetter(candidate, score.sum, candidate.distance)
    const isOthers = [candidate.sum, net].some((moved) => terms.others.has(isIn ? moved : -moved))
    if (candidate.score === 0 || (candidate.score === score.touched && isOthers))
      held.delete(candidate.token)
  }
  return held
}

function isHeldOf(
  { pool, manager }: DecodedSwap,
  transfer: DecodedTransfer,
  isIn: boolean,
  terms: CandidateTerms,
): boolean {
  const holder = manager ?? pool
  const { from, to } = transfer
  if (isMade(transfer, isIn, terms)) return false
  return isIn ? to === holder && from !== holder : from === holder && to !== holder
}

/** Shares that are made for what is paid in, or given up for what is paid out, are not what is traded. */
function isMade({ from, to }: DecodedTransfer, isIn: boolean, { traces }: CandidateTerms): boolean {
  return traces.isUnderlying === true && (isIn ? from : to) === zeroAddress
}

/** Payments are made before a pool tells of the swap, but for those that settle at the end. */
function distanceOf(swap: DecodedSwap, { index }: DecodedTransfer): number {
  return index < swap.index ? swap.index - index : index - swap.index + 0.5
}

function keepBetter(candidate: Candidate, points: number, distance: number): void {
  if (points < candidate.score) return
  if (points > candidate.score || distance < candidate.distance) candidate.distance = distance
  candidate.score = points
}

export function bestOf(candidates: readonly Candidate[]): Candidate | null {
  const [best] = candidates.toSorted(
    (one, other) => other.score - one.score || one.distance - other.distance,
  )
  return best ?? null
}

/** Those of each side that go together, the best first. */
export function couplesOf(
  sides0: readonly Candidate[],
  sides1: readonly Candidate[],
  isOrdered: boolean,
): [Candidate, Candidate][] {
  const couples = sides0.flatMap((one) =>
    sides1.flatMap((other): [Candidate, Candidate][] => {
      const isApart = isOrdered ? one.token < other.token : one.token !== other.token
      return isApart ? [[one, other]] : []
    }),
  )
  const points = ([one, other]: [Candidate, Candidate]) => one.score + other.score
  const distance = ([one, other]: [Candidate, Candidate]) => one.distance + other.distance
  return couples.sort((a, b) => points(b) - points(a) || distance(a) - distance(b))
}
