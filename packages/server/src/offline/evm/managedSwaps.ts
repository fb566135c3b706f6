import { zeroAddress } from '../../decode/evm/erc20.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'
import { bestCandidate, type Candidate, candidatePairsOf, score } from './tokenCandidates.ts'
import type { SwapTokens } from './tokenTraces.ts'
import type { TokenTraces } from './venueTraces.ts'

// A swap in a pool that a manager keeps. Such pools pay one another without a transfer: the output
// of one is the input of the next. Only flows into and out of the manager show, so the tokens
// between follow from the amounts.

type ManagedSwap = {
  swap: DecodedSwap
  /** Null for a token that is still unknown. */
  tokens: [string | null, string | null]
  candidates: readonly [readonly Candidate[], readonly Candidate[]]
  traces: TokenTraces
  /**
   * Checks two tokens against the pool's id; null if they do not match, as far as can be checked.
   */
  prove(tokens: SwapTokens): SwapTokens | null
}

type Side = {
  of: ManagedSwap
  at: 0 | 1
  /** The side of another swap with exactly this amount in the other direction. */
  linked: Side | null
}

type Step = (sides: readonly Side[]) => boolean

const couplesProvedMax = 4
/** With more sides too many pairs would add up by chance. */
const sidesAddedMax = 24

/** Net amount of each token that a manager received in a transaction. */
export type Flows = ReadonlyMap<string, bigint>

/**
 * Fills in the tokens of swaps with one manager in one transaction. Tokens that stay null are
 * unknown.
 */
export function fillManagedTokens(swaps: readonly ManagedSwap[], flows: Flows): void {
  const sides = swaps.flatMap((of): Side[] => [
    { of, at: 0, linked: null },
    { of, at: 1, linked: null },
  ])
  link(sides)
  const proved = new Set<string>()
  const prove: Step = (all) => all.some((side) => proveSwap(side, proved))
  const addUp: Step = (all) => takeTogether(all, flows)
  // Surest steps first. Each result restarts them, because it may help an earlier step.
  const steps: Step[] = [passOn, takeFirm, prove, addUp, guessCouple, guessSide, guessNative]
  while (steps.some((step) => step(sides)));
}

const tokenOf = ({ of, at }: Side) => of.tokens[at]
const otherOf = ({ of, at }: Side) => of.tokens[1 - at]!
const amountOf = ({ of, at }: Side) => (at === 0 ? of.swap.amount0 : of.swap.amount1)
const isOpen = (side: Side) => tokenOf(side) === null && amountOf(side) !== 0n
const isFirm = (candidate: Candidate) => candidate.score >= score.sum

/**
 * Is the token possible beside the pool's other token, and in the pool that the amount is linked
 * to?
 */
function fits(side: Side, token: string): boolean {
  return [side, side.linked].every((one) => {
    if (one === null) return true
    const [own, other] = [tokenOf(one), otherOf(one)]
    if (own !== null && own !== undefined && own !== token) return false
    if (other === null || other === undefined) return true
    if (one.of.traces.isUnordered) return other !== token
    return one.at === 0 ? token < other : other < token
  })
}

function take(side: Side, token: string): boolean {
  side.of.tokens[side.at] = token
  return true
}

/**
 * Links an output to the single input of the same amount, unless it left the manager or came from
 * outside.
 */
function link(sides: readonly Side[]): void {
  const inside = sides.filter(({ of, at }) => !of.candidates[at].some(isFirm))
  const byAmount = new Map<bigint, Side[]>()
  for (const side of inside) {
    const amount = amountOf(side)
    if (amount !== 0n) byAmount.set(amount, [...(byAmount.get(amount) ?? []), side])
  }
  for (const [amount, [into, ...more]] of byAmount) {
    const [from, ...others] = byAmount.get(-amount) ?? []
    if (amount < 0n || !into || !from || more.length > 0 || others.length > 0) continue
    const isSamePool = into.of.swap.pool === from.of.swap.pool
    if (into.of === from.of || (isSamePool && into.at !== from.at)) continue
    into.linked = from
    from.linked = into
  }
}

function passOn(sides: readonly Side[]): boolean {
  return sides.some((side) => {
    const token = side.linked && tokenOf(side.linked)
    return isOpen(side) && typeof token === 'string' && fits(side, token) && take(side, token)
  })
}

/** Takes the only token that moved in exactly this amount. */
function takeFirm(sides: readonly Side[]): boolean {
  return sides.some((side) => {
    if (!isOpen(side)) return false
    const firm = optionsOf(side).filter(isFirm)
    return firm.length === 1 && take(side, firm[0]!.token)
  })
}

/** Two trades of one token that are paid together or against each other. */
function takeTogether(sides: readonly Side[], flows: Flows): boolean {
  const open = sides.filter((side) => isOpen(side) && !side.linked)
  if (open.length > sidesAddedMax) return false
  return open.some((one, at) =>
    open.slice(at + 1).some((other) => {
      const sum = amountOf(one) + amountOf(other)
      const token = [...flows.keys()].find((key) => flows.get(key) === sum)
      if (token === undefined || one.of === other.of) return false
      return fits(one, token) && fits(other, token) && take(one, token) && take(other, token)
    }),
  )
}

/** Finds two candidates whose hash is the pool's id. */
function proveSwap({ of }: Side, proved: Set<string>): boolean {
  const [token0, token1] = of.tokens
  const state = [of.swap.index, token0, token1].join(' ')
  if ((token0 !== null && token1 !== null) || proved.has(state)) return false
  proved.add(state)
  const [tokens0, tokens1] = ([0, 1] as const).map((at) => {
    const known = of.tokens[at]
    if (known !== null) return [known]
    const moved = of.candidates[at].toSorted((one, other) => other.score - one.score)
    const coin = at === 0 && of.traces.hasNative ? [zeroAddress] : []
    return [...new Set([...moved.map(({ token }) => token), ...coin])]
  }) as [string[], string[]]
  const couples = tokens0.flatMap((one) => tokens1.map((other) => [one, other] as const))
  for (const couple of couples.filter(([one, other]) => one < other).slice(0, couplesProvedMax)) {
    const proven = of.prove(couple)
    if (proven === null) continue
    of.tokens = [proven[0], proven[1]]
    return true
  }
  return false
}

/**
 * Takes tokens that the manager moved in other amounts: several trades together, or after a fee.
 */
function guessCouple(sides: readonly Side[]): boolean {
  return sides.some((side) => {
    const { of, at, linked } = side
    const other = sides.find((one) => one.of === of && one.at !== at)!
    if (at === 1 || !isOpen(side) || !isOpen(other) || linked || other.linked) return false
    const [best] = candidatePairsOf(
      of.candidates[0],
      of.candidates[1],
      of.traces.isUnordered !== true,
    )
    if (best) of.tokens = [best[0].token, best[1].token]
    return best !== undefined
  })
}

function guessSide(sides: readonly Side[]): boolean {
  const named = new Set(sides.map(tokenOf))
  return sides.some((side) => {
    const { of, at, linked } = side
    if (!isOpen(side)) return false
    // Both are candidates but cannot be one pool: take neither.
    if (otherOf(side) === null && !linked && of.candidates[at === 0 ? 1 : 0].length > 0)
      return false
    const options = optionsOf(side).filter(
      ({ token, score: points }) => !linked || points > score.touched || !named.has(token),
    )
    const best = bestCandidate(options)
    return best !== null && take(side, best.token)
  })
}

/** The native coin moves without a transfer and is always the first token. */
function guessNative(sides: readonly Side[]): boolean {
  return sides.some((side) => {
    const { of, at, linked } = side
    if (at !== 0 || !isOpen(side) || !of.traces.hasNative || of.traces.isUnordered) return false
    const other = sides.find((one) => one.of === of && one.at === 1)!
    const isExplained = tokenOf(other) !== null || other.linked !== null
    // A round trip through two pools of the same tokens. No pool trades the coin for its own
    // wrapped token.
    const isBack = linked !== null && tokenOf(other) !== null && tokenOf(other) === otherOf(linked)
    if (isBack) return false
    if (!isExplained || linked?.at === 1 || of.candidates[0].some(isFirm)) return false
    if (linked && routeOf(side, sides).some((one) => isRival(one, side))) return false
    return fits(side, zeroAddress) && take(side, zeroAddress)
  })
}

/** Both sides may be the coin, or the first token already is. */
function isRival(one: Side, side: Side): boolean {
  if (one === side || one === side.linked) return false
  return tokenOf(one) === zeroAddress || (isOpen(one) && one.linked !== null)
}

/**
 * All sides linked to this one. A route takes the same token twice only if it ends where it began.
 */
function routeOf(side: Side, sides: readonly Side[]): Side[] {
  const route = new Set([side])
  for (const { of, linked } of route) {
    if (linked) route.add(linked)
    for (const one of sides) if (one.of === of) route.add(one)
  }
  return [...route]
}

/** Candidates that are still possible. */
function optionsOf(side: Side): Candidate[] {
  const { linked } = side
  const shown = [side.of.candidates[side.at], linked?.of.candidates[linked.at] ?? []].flat()
  return shown.filter(({ token }) => fits(side, token))
}
