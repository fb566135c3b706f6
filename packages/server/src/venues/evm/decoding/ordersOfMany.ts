import type { DecodedEvent, DecodedSwap, DecodedTransfer } from '../../../model/decodedBlock.ts'
import { isAddress } from './hexWords.ts'

/** Somebody's order that a transaction carried out. */
export type Order = {
  owner: string
  /** What it names as sold and bought. @default what moved from its owner and to him */
  sold?: string | undefined
  bought?: string | undefined
}

type Wants = { sold: Set<string>; bought: Set<string> }
type Ends = Readonly<Record<'into' | 'out', { tokens: ReadonlySet<string>; amount: bigint }>>

/**
 * Whose swap each is, of a transaction that carried out orders of several owners: of whoever alone sold what came into the pool
 * or bought what went out of it, and so on along a route. Those that nothing tells are left out.
 */
export function ownersOfSwaps(
  events: readonly DecodedEvent[],
  orders: readonly Order[],
): ReadonlyMap<DecodedSwap, string> {
  const transfers = events.filter((event): event is DecodedTransfer => event.type === 'transfer')
  const wants = wantsOf(orders, transfers)
  const left = new Map<DecodedSwap, Ends>()
  for (const event of events) if (event.type === 'swap') left.set(event, endsOf(event, transfers))
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
    whoever(({ sold, bought }) => hasAny(sold, into) && hasAny(bought, out)),
  )
  assign(({ into, out }) =>
    whoever(({ sold, bought }) => hasAny(sold, into) || hasAny(bought, out)),
  )
  // What one pool paid, the next one took.
  const isNext = (one: Ends, next: Ends) =>
    one.out.amount > 0n && one.out.amount === next.into.amount
  const neighbours = (its: Ends) =>
    [...owners].flatMap(([swap, owner]) => {
      const other = ends.get(swap)!
      return isNext(its, other) || isNext(other, its) ? owner : []
    })
  while (assign(neighbours));
  return owners
}

function wantsOf(
  orders: readonly Order[],
  transfers: readonly DecodedTransfer[],
): ReadonlyMap<string, Wants> {
  const wants = new Map<string, Wants>()
  for (const { owner, sold, bought } of orders) {
    const own = wants.get(owner) ?? { sold: new Set(), bought: new Set() }
    wants.set(owner, own)
    if (sold !== undefined) own.sold.add(sold)
    if (bought !== undefined) own.bought.add(bought)
    for (const { token, from, to } of sold === undefined ? transfers : []) {
      if (from === owner) own.sold.add(token)
      if (to === owner) own.bought.add(token)
    }
  }
  return wants
}

function endsOf(swap: DecodedSwap, transfers: readonly DecodedTransfer[]): Ends {
  const { amount0, amount1, couple, pool, manager } = swap
  const isFirst = amount0 > amount1
  const [into, out] = (isFirst ? [amount0, amount1] : [amount1, amount0]).map((amount) =>
    amount < 0n ? -amount : amount,
  ) as [...[bigint, bigint]]
  if (couple?.every(isAddress)) {
    const [sold, bought] = isFirst ? couple : [couple[1], couple[0]]
    return {
      into: { tokens: new Set([sold]), amount: into },
      out: { tokens: new Set([bought]), amount: out },
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
