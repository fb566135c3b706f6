import type { DecodedEvent, DecodedSwap, DecodedTransfer } from '../../../model/decodedBlock.ts'
import { isAddress } from './hexWords.ts'

/** An order that a transaction executed. */
export type Order = {
  owner: string
  /** Tokens sold and bought. @default those that moved from and to the owner */
  sold?: string | undefined
  bought?: string | undefined
  /**
   * Amounts that a pool may have taken of the sold token. @default those that moved from the owner
   */
  paid?: readonly bigint[]
  /** Amount bought. @default the amounts that moved to the owner */
  got?: bigint
  /** Reported by an unknown contract: counts only if tokens of its owner moved. @default false */
  isDoubtful?: boolean
}

/** `perhaps` includes the native coin if no bought token arrived: it moves without a log. */
type Wants = Readonly<Record<'sold' | 'bought' | 'perhaps', Set<string>>> &
  Readonly<Record<'paid' | 'got', Set<bigint>>>
type End = { tokens: ReadonlySet<string>; amount: bigint }
type Ends = Readonly<Record<'into' | 'out', End>>
/** Consecutive swaps: each takes what the one before it paid. */
type Route = Ends & { swaps: readonly DecodedSwap[] }
type Link = (paid: End, taken: End) => boolean

const coinNames: readonly string[] = [`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`]
const coin = coinNames[0]!
/** Two pools of a route may differ by one part in this many. */
const dustShare = 1_000n

/**
 * Attributes the swaps of a transaction that executed orders of several owners. Swaps that take
 * what another one paid form a route, which belongs to the only owner whose order fits its ends.
 * Other swaps stay unattributed. The native coin and its wrapped token count as one: an owner paid
 * in the coin has it unwrapped after the pool.
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

  /** Assigns routes that have exactly one candidate. Returns true if there was one. */
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
  // If no owner sold the input, another pool may have paid it. That is a stronger clue than the
  // buyers of the output.
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

/**
 * Owners the route may belong to: sellers of the input who paid exactly that amount, then buyers of
 * the output.
 */
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
  // One owner sells the input and another buys the output. Other pools trade tokens that routes
  // only pass.
  const buyers = ownersWho(wants, ({ bought }) => hasAny(bought, out))
  const rest = routes.filter((route) => route.swaps !== swaps)
  const isPassing =
    rest.some((route) => hasAny(into.tokens, route.out)) &&
    !rest.some((route) => hasAny(out.tokens, route.into))
  return isPassing && buyers.length === 1 ? buyers : [seller]
}

/**
 * Joins two swaps of a route: the output of one is the input of the other, and of no third swap.
 */
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
    // A pool may receive less than was sent, by a transfer fee. A manager also receives amounts of
    // other pools.
    const told = exact.length > 0 || manager !== undefined ? exact : all
    return { tokens: new Set(told.map(({ token }) => token)), amount }
  }
  return {
    into: moved(({ to }) => to === holder, into),
    out: moved(({ from }) => from === holder, out),
  }
}
