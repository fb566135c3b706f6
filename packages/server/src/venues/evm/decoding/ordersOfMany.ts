import type { DecodedEvent, DecodedSwap, DecodedTransfer } from '../../../model/decodedBlock.ts'
import { isAddress } from './hexWords.ts'

/** Somebody's order that a transaction carried out. */
export type Order = {
  owner: string
  /** What it names as sold and bought. @default what moved from its owner and to him */
  sold?: string | undefined
  bought?: string | undefined
  /** Told by a contract that anybody may have written: it counts where its owner's tokens moved. @default false */
  isDoubtful?: boolean
}

/** `perhaps` is what was bought, and the native coin where no token came in: it moves without a log. */
type Wants = Readonly<Record<'sold' | 'bought' | 'perhaps', Set<string>>>
type Ends = Readonly<Record<'into' | 'out', { tokens: ReadonlySet<string>; amount: bigint }>>

const coinNames: readonly string[] = [`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`]
const coin = coinNames[0]!
/** One part in so many may be left between two pools of a route. */
const dustShare = 1_000n

/**
 * Whose swap each is, of a transaction that carried out orders of several owners: of whoever alone sold what came into the pool
 * or bought what went out of it, and so on along a route. Those that nothing tells are left out. The native coin and what it is
 * wrapped into are one here: who is paid in the coin has it unwrapped after a pool.
 */
export function ownersOfSwaps(
  events: readonly DecodedEvent[],
  orders: readonly Order[],
  wrapped: ReadonlySet<string>,
): ReadonlyMap<DecodedSwap, string> {
  const plain = (token: string) => (wrapped.has(token) || coinNames.includes(token) ? coin : token)
  const transfers = events.flatMap((event) =>
    event.type === 'transfer' ? { ...event, token: plain(event.token) } : [],
  )
  const wants = wantsOf(orders, transfers, plain)
  const left = new Map<DecodedSwap, Ends>()
  for (const event of events)
    if (event.type === 'swap') left.set(event, endsOf(event, transfers, plain))
  const ends = new Map(left)
  const owners = new Map<DecodedSwap, string>()

  /** Gives swaps to those who alone are meant; true: there were some. */
  function assign(meantBy: (ends: Ends) => Iterable<string>): boolean {
    const before = left.size
    for (const [swap, its] of left) {
      const [owner, ...others] = new Set(meantBy(its))
      if (owner === undefined || others.length > 0) continue
      owners.set(swap, owner)
      left.delete(swap)
    }
    return left.size < before
  }

  const whoever = (isMeant: (wants: Wants) => boolean) =>
    [...wants].flatMap(([owner, wanted]) => (isMeant(wanted) ? owner : []))
  const hasAny = (wanted: ReadonlySet<string>, { tokens }: Ends['into']) =>
    [...tokens].some((token) => wanted.has(token))
  assign(({ into, out }) =>
    whoever(({ sold, perhaps }) => hasAny(sold, into) && hasAny(perhaps, out)),
  )
  const neighbours = (its: Ends) =>
    [...owners].flatMap(([swap, owner]) => {
      const other = ends.get(swap)!
      return isNext(its, other) || isNext(other, its) ? owner : []
    })
  const byEnd = ({ into, out }: Ends) =>
    whoever(({ sold, bought }) => hasAny(sold, into) || hasAny(bought, out))
  // Where nobody sold what came in, another pool paid it: that says more than who would buy what went out.
  const isSold = ({ into }: Ends) => whoever(({ sold }) => hasAny(sold, into)).length > 0
  assign((its) => (isSold(its) ? byEnd(its) : []))
  while (assign(neighbours));
  assign(byEnd)
  while (assign(neighbours));
  return owners
}

/** Did the next pool take what this one paid? Solvers leave some dust between them. */
function isNext({ out }: Ends, { into }: Ends): boolean {
  if (out.amount === 0n) return false
  if (out.amount === into.amount) return true
  const rest = out.amount - into.amount
  const isDust = rest > 0n && rest * dustShare <= out.amount
  return isDust && [...out.tokens].some((token) => into.tokens.has(token))
}

function wantsOf(
  orders: readonly Order[],
  transfers: readonly DecodedTransfer[],
  plain: (token: string) => string,
): ReadonlyMap<string, Wants> {
  const wants = new Map<string, Wants>()
  const isUnwrapped = transfers.some(({ token, to }) => token === coin && to === coin)
  for (const { owner, sold, bought, isDoubtful = false } of orders) {
    const moved = sold === undefined ? transfers : []
    const soldNow = moved.flatMap(({ token, from }) => (from === owner ? token : []))
    const boughtNow = moved.flatMap(({ token, to }) => (to === owner ? token : []))
    if (sold !== undefined) soldNow.push(plain(sold))
    if (bought !== undefined) boughtNow.push(plain(bought))
    const perhaps = boughtNow.length === 0 && isUnwrapped ? [coin] : boughtNow
    if (isDoubtful && (soldNow.length === 0 || perhaps.length === 0)) continue
    const own = wants.get(owner) ?? { sold: new Set(), bought: new Set(), perhaps: new Set() }
    wants.set(owner, own)
    for (const token of soldNow) own.sold.add(token)
    for (const token of isDoubtful ? [] : boughtNow) own.bought.add(token)
    for (const token of perhaps) own.perhaps.add(token)
  }
  return wants
}

function endsOf(
  swap: DecodedSwap,
  transfers: readonly DecodedTransfer[],
  plain: (token: string) => string,
): Ends {
  const { amount0, amount1, couple, pool, manager } = swap
  const isFirst = amount0 > amount1
  const [into, out] = (isFirst ? [amount0, amount1] : [amount1, amount0]).map((amount) =>
    amount < 0n ? -amount : amount,
  ) as [...[bigint, bigint]]
  if (couple?.every(isAddress)) {
    const [sold, bought] = isFirst ? couple : [couple[1], couple[0]]
    return {
      into: { tokens: new Set([plain(sold)]), amount: into },
      out: { tokens: new Set([plain(bought)]), amount: out },
    }
  }
  const holder = manager ?? pool
  const moved = (isEnd: (transfer: DecodedTransfer) => boolean, amount: bigint) => {
    const all = transfers.filter(isEnd)
    const exact = all.filter((transfer) => transfer.amount === amount)
    // A pool of its own address may get less than was sent; a manager gets what is others', too.
    const told = exact.length > 0 || manager !== undefined ? exact : all
    return { tokens: new Set(told.map(({ token }) => token)), amount }
  }
  return {
    into: moved(({ to }) => to === holder, into),
    out: moved(({ from }) => from === holder, out),
  }
}
