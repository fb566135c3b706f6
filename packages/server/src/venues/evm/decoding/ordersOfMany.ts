import type { DecodedEvent, DecodedSwap, DecodedTransfer } from '../../../model/decodedBlock.ts'
import { isAddress } from './hexWords.ts'

/** Somebody's order that a transaction carried out. */
export type Order = {
  owner: string
  /** What it names as sold and bought. @default what moved from its owner and to him */
  sold?: string | undefined
  bought?: string | undefined
  /** Amounts that a pool may take of what was sold. @default those that moved from its owner */
  paid?: readonly bigint[]
  /** How much was bought. @default the amounts that moved to its owner */
  got?: bigint
  /** Told by a contract that anybody may have written: it counts where its owner's tokens moved. @default false */
  isDoubtful?: boolean
}

/** `perhaps` is what was bought, and the native coin where no token came in: it moves without a log. */
type Wants = Readonly<Record<'sold' | 'bought' | 'perhaps', Set<string>>> &
  Readonly<Record<'paid' | 'got', Set<bigint>>>
type End = { tokens: ReadonlySet<string>; amount: bigint }
type Ends = Readonly<Record<'into' | 'out', End>>
/** Swaps in a row: each takes what the one before it paid. */
type Route = Ends & { swaps: readonly DecodedSwap[] }
type Link = (paid: End, taken: End) => boolean

const coinNames: readonly string[] = [`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`]
const coin = coinNames[0]!
/** One part in so many may be left between two pools of a route. */
const dustShare = 1_000n

/**
 * Owners of the swaps of a transaction that carried out orders of several owners. Swaps that take what another one paid are
 * one route; a route belongs to the only owner whose order fits its ends. Swaps of other routes are left out. The native
 * coin and its wrapped token count as one token: an owner who is paid in the coin has it unwrapped after a pool.
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
  const routes = routesOf(
    events.flatMap((event): Route[] =>
      event.type === 'swap' ? [{ swaps: [event], ...endsOf(event, transfers, plain) }] : [],
    ),
  )
  const owners = new Map<Route, string>()

  /** Assigns routes for which this leaves one owner. Returns true if there was one. */
  function assign(candidatesFor: (route: Route) => Iterable<string>): boolean {
    const before = owners.size
    for (const route of routes) {
      if (owners.has(route)) continue
      const [owner, ...others] = new Set(candidatesFor(route))
      if (owner !== undefined && others.length === 0) owners.set(route, owner)
    }
    return owners.size > before
  }

  const neighbours = (route: Route) =>
    [...owners].flatMap(([other, owner]) =>
      isNext(route.out, other.into) || isNext(other.out, route.into) ? owner : [],
    )
  assign((route) => claimantsOf(route, routes, wants))
  while (assign(neighbours));
  // Where nobody sold what came in, another pool may have paid it: that says more than who buys what went out.
  assign(({ into, out }) => {
    const isSold = ownersWho(wants, ({ sold }) => hasAny(sold, into)).length > 0
    return isSold ? [] : ownersWho(wants, ({ bought }) => hasAny(bought, out))
  })
  while (assign(neighbours));
  return new Map(
    [...owners].flatMap(([{ swaps }, owner]) => swaps.map((swap) => [swap, owner] as const)),
  )
}

const ownersWho = (wants: ReadonlyMap<string, Wants>, isMeant: (wants: Wants) => boolean) =>
  [...wants].flatMap(([owner, wanted]) => (isMeant(wanted) ? owner : []))
const hasAny = (wanted: ReadonlySet<string>, { tokens }: End) =>
  [...tokens].some((token) => wanted.has(token))

/** Owners whose route it may be: of those who sold what came in those who paid exactly that, then those who buy what went out. */
function claimantsOf(
  { into, out, swaps }: Route,
  routes: readonly Route[],
  wants: ReadonlyMap<string, Wants>,
): readonly string[] {
  const among = (owners: readonly string[], isMeant: (wants: Wants) => boolean) => {
    const meant = owners.filter((owner) => isMeant(wants.get(owner)!))
    return meant.length > 0 ? meant : owners
  }
  const sellers = ownersWho(wants, ({ sold }) => hasAny(sold, into))
  const payers = among(sellers, ({ paid }) => paid.has(into.amount))
  const traders = among(payers, ({ perhaps }) => hasAny(perhaps, out))
  const claimants = among(traders, ({ got }) => got.has(out.amount))
  const [seller] = claimants
  if (seller === undefined || claimants.length > 1) return claimants
  const { paid, perhaps } = wants.get(seller)!
  if (paid.has(into.amount) || hasAny(perhaps, out)) return [seller]
  // One owner sells what came in, and another one buys what went out. Other pools trade in tokens that routes only pass.
  const buyers = ownersWho(wants, ({ bought }) => hasAny(bought, out))
  const rest = routes.filter((route) => route.swaps !== swaps)
  const isPassing =
    rest.some((route) => hasAny(into.tokens, route.out)) &&
    !rest.some((route) => hasAny(out.tokens, route.into))
  return isPassing && buyers.length === 1 ? buyers : [seller]
}

/** Joins swaps where one alone paid what another one alone took. */
function routesOf(swaps: readonly Route[]): readonly Route[] {
  const next = new Map<Route, Route>()
  const taken = new Set<Route>()
  for (const isLink of [isSame, isDust])
    for (const from of swaps) {
      if (next.has(from)) continue
      const takers = swaps.filter(
        (to) => to !== from && !taken.has(to) && isLink(from.out, to.into),
      )
      const [to, ...others] = takers
      if (to === undefined || others.length > 0) continue
      const isOnly = (payer: Route) =>
        payer === from || payer === to || next.has(payer) || !isLink(payer.out, to.into)
      if (!swaps.every(isOnly)) continue
      next.set(from, to)
      taken.add(to)
    }
  const joined = new Set<Route>()
  const join = (first: Route): Route => {
    const row: Route[] = []
    for (let at: Route | undefined = first; at && !joined.has(at); at = next.get(at)) {
      row.push(at)
      joined.add(at)
    }
    return { swaps: row.flatMap((one) => one.swaps), into: first.into, out: row.at(-1)!.out }
  }
  const routes = swaps.filter((swap) => !taken.has(swap)).map(join)
  // Swaps in a circle have no first one.
  return [...routes, ...swaps.filter((swap) => !joined.has(swap))]
}

const isSame: Link = (paid, taken) =>
  paid.amount > 0n &&
  paid.amount === taken.amount &&
  (paid.tokens.size === 0 || taken.tokens.size === 0 || hasAny(paid.tokens, taken))

/** Solvers leave some dust between pools. */
const isDust: Link = (paid, taken) => {
  const rest = paid.amount - taken.amount
  return rest > 0n && rest * dustShare <= paid.amount && hasAny(paid.tokens, taken)
}

const isNext: Link = (paid, taken) => isSame(paid, taken) || isDust(paid, taken)

function wantsOf(
  orders: readonly Order[],
  transfers: readonly DecodedTransfer[],
  plain: (token: string) => string,
): ReadonlyMap<string, Wants> {
  const wants = new Map<string, Wants>()
  const isUnwrapped = transfers.some(({ token, to }) => token === coin && to === coin)
  for (const { owner, sold, bought, isDoubtful = false, ...amounts } of orders) {
    const moved = sold === undefined ? transfers : []
    const gave = moved.filter(({ from }) => from === owner)
    const took = moved.filter(({ to }) => to === owner)
    const soldNow = sold === undefined ? gave.map(({ token }) => token) : [plain(sold)]
    const boughtNow = bought === undefined ? took.map(({ token }) => token) : [plain(bought)]
    const perhaps = boughtNow.length === 0 && isUnwrapped ? [coin] : boughtNow
    if (isDoubtful && (soldNow.length === 0 || perhaps.length === 0)) continue
    const own = wants.get(owner) ?? newWants()
    wants.set(owner, own)
    for (const token of soldNow) own.sold.add(token)
    for (const token of isDoubtful ? [] : boughtNow) own.bought.add(token)
    for (const token of perhaps) own.perhaps.add(token)
    for (const amount of amounts.paid ?? gave.map((transfer) => transfer.amount))
      own.paid.add(amount)
    for (const amount of amounts.got !== undefined ? [amounts.got] : took.map((one) => one.amount))
      own.got.add(amount)
  }
  return wants
}

const newWants = (): Wants => ({
  sold: new Set(),
  bought: new Set(),
  perhaps: new Set(),
  paid: new Set(),
  got: new Set(),
})

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
