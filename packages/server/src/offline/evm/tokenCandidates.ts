import { zeroAddress } from '../../decode/evm/erc20.ts'
import type { DecodedSwap, DecodedTransfer } from '../../model/decodedBlock.ts'
import type { TokenTraces } from './venueTraces.ts'

/** A token that may be one side of a swap. */
export type Candidate = { token: string; score: number; distance: number }

/** Strength of a clue, from a guess to almost the pool's own word. */
export const score = {
  touched: 1,
  anywhere: 2,
  wrapped: 3,
  held: 4,
  sum: 5,
  exact: 6,
} as const

/** Payments of other pools of the transaction, if their tokens are known. */
export type KnownPayments = readonly Pick<DecodedTransfer, 'token' | 'amount' | 'index'>[]

export type CandidateTerms = {
  traces: TokenTraces
  /** The wrapped native token; empty if unknown. */
  wrapped: string
  paid: KnownPayments
  /** Signed amounts of other swaps with the same manager: transfers of these amounts are theirs. */
  others: ReadonlySet<bigint>
}

type Held = Candidate & { sum: bigint; net: bigint }

/** Finds tokens that may be one side of a swap, scored by how well their transfers match. */
export function candidatesOf(
  swap: DecodedSwap,
  transfers: readonly DecodedTransfer[],
  signed: bigint,
  terms: CandidateTerms,
): Candidate[] {
  // An amount of zero matches nothing.
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
    // The coin was unwrapped for the pool or wrapped after it, so the pool had the coin itself.
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

/** Net amounts of the pool or its manager. */
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
    // A pool does not trade its own shares.
    if (token === swap.pool || moved === 0n) continue
    if (isHeldOf(swap, transfer, !isIn, terms)) back.set(token, (back.get(token) ?? 0n) + moved)
    if (!isHeldOf(swap, transfer, isIn, terms)) continue
    const distance = distanceOf(swap, transfer)
    const known = held.get(token) ?? { token, score: 0, distance, sum: 0n, net: 0n }
    held.set(token, known)
    known.sum += moved
    const touch = swap.manager === undefined ? score.held : score.touched
    if (moved === amount) keepBetter(known, score.exact, distance)
    // The event may report another coin than the one transferred, so different amounts prove
    // nothing.
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

/** Shares minted for a payment or burnt for a withdrawal are not the traded token. */
function isMade({ from, to }: DecodedTransfer, isIn: boolean, { traces }: CandidateTerms): boolean {
  return traces.isUnderlying === true && (isIn ? from : to) === zeroAddress
}

/** Payments precede the swap's event, except in venues that settle at the end. */
function distanceOf(swap: DecodedSwap, { index }: DecodedTransfer): number {
  return index < swap.index ? swap.index - index : index - swap.index + 0.5
}

function keepBetter(candidate: Candidate, points: number, distance: number): void {
  if (points < candidate.score) return
  if (points > candidate.score || distance < candidate.distance) candidate.distance = distance
  candidate.score = points
}

export function bestCandidate(candidates: readonly Candidate[]): Candidate | null {
  const [best] = candidates.toSorted(
    (one, other) => other.score - one.score || one.distance - other.distance,
  )
  return best ?? null
}

/** Candidates of both sides that are possible together, best first. */
export function candidatePairsOf(
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
