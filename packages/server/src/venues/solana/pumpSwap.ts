import type { PoolState } from '../../model/decodedBlock.ts'
import { endOfText, ratioOf, readI128, readKey, readU64 } from './decoding/bytes.ts'
import { type Call, dataTagOf } from './decoding/call.ts'
import {
  flowOf,
  type PoolAccounts,
  pushMovedLiquidity,
  pushPool,
  pushSwap,
  tradedAmountsIn,
  vaultState,
} from './decoding/poolEvents.ts'
import type { TokenMove } from './decoding/tokenMoves.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import { curveTradesIn, multiHopCurveSwap, multiHopSwap, pumpFun, pushTrades } from './pumpFun.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

const buyEvent = '67f4521f2cf57777'
const sellEvent = '3e2f370aa503dc2a'
const sweepEvent = '82a42461e48287a5'
// Offset of the virtual reserve, in events that have it.
const sellVirtualAt = 392
const buyNameAt = 401

type Flow = ReturnType<typeof flowOf>

/** A buy pays base to the user, a sale quote. */
const decodeTrade =
  (isBuy: boolean): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < 11) return false
    const accounts = accountsAt(call, 7)
    const traded = tradedAmountsIn(scope.movesIn(call), accounts, call.account(isBuy ? 5 : 6))
    if (traded === null) return false
    const tokens = [scope.key(call.account(3)), scope.key(call.account(4))] as const
    const event = scope.eventOf(call, isBuy ? buyEvent : sellEvent)
    const flow = flowOf(scope.movesIn(call), accounts.vault1)
    const state = stateWith(scope, call, accounts, event && virtualAfter(event, isBuy, flow))
    pushSwap(scope, {
      pool: scope.key(accounts.pool),
      tokens,
      user: call.account(1),
      state,
      ...traded,
    })
    return true
  }

const fixedAccounts = 16
const accountsPerHop = 5
const fixedAccountsOfCurves = 13
const curveVenues = [pumpFun.name]

/**
 * A route through pools and curves, one trade for each hop. Middle tokens go from vault to vault.
 * Consecutive curve hops are one call of pump.fun, which emits their events; the route itself emits
 * the events of the pools.
 */
const decodeMultiHop: CallDecoder = (call, scope) => {
  const hops = (call.accounts.length - fixedAccounts) / accountsPerHop
  if (hops < 1 || !Number.isInteger(hops)) return false
  const runs = scope.callsIn(call).filter(isCurveRun)
  // Only the protocol's share of the fees leaves a vault beside the trade.
  const moves = scope.movesIn(call).filter(({ to }) => to !== call.account(6))
  const events = [buyEvent, sellEvent].map((tag) => scope.eventsOf(call, tag))
  let isWhole = true
  for (let first = fixedAccounts; first < call.accounts.length; first += accountsPerHop) {
    const [mint, quote, pool, vault0, vault1] = call.accounts.slice(first) as [
      ...[number, number, number, number, number],
    ]
    const run = runs.find(({ accounts }) => accounts.indexOf(pool, fixedAccountsOfCurves) >= 0)
    const user = call.account(0)
    const isRead = run
      ? pushCurveHop(scope, run, { mint, curve: pool, vault: vault0, userTokens: -1, user })
      : pushPoolHop(scope, call, { mint, quote, pool, vault0, vault1, moves, events })
    if (!isRead) isWhole = false
  }
  return isWhole
}

const isCurveRun = (call: Call) =>
  call.program === pumpFun.programs[0] && dataTagOf(call, 8) === multiHopCurveSwap

function pushCurveHop(
  scope: TransactionScope,
  run: Call,
  accounts: Parameters<typeof pushTrades>[3],
): boolean {
  const event = curveTradesIn(run, scope).get(scope.key(accounts.mint))
  if (event === undefined) return false
  const { venues } = scope
  scope.venues = curveVenues
  pushTrades(scope, run, event, accounts)
  scope.venues = venues
  return true
}

type PoolHop = PoolAccounts & {
  mint: number
  quote: number
  moves: readonly TokenMove[]
  /** Buys, then sales. */
  events: readonly (readonly Buffer[])[]
}

function pushPoolHop(scope: TransactionScope, call: Call, hop: PoolHop): boolean {
  const traded = tradedAmountsIn(hop.moves, hop)
  if (traded === null) return false
  const pool = scope.key(hop.pool)
  const isBuy = traded.amount0 < 0n
  const own = hop.events[isBuy ? 0 : 1]!.find((event) => poolOf(event) === pool)
  const flow = flowOf(scope.movesIn(call), hop.vault1)
  const virtual = own === undefined ? null : virtualAfter(own, isBuy, flow)
  const state = stateWith(scope, call, hop, virtual)
  const tokens = [scope.key(hop.mint), scope.key(hop.quote)] as const
  pushSwap(scope, { pool, tokens, user: call.account(0), state, ...traded })
  return true
}

/** Empty if the event is too short to name one. */
function poolOf(event: Buffer): string {
  return event.length < 152 ? '' : readKey(event, 120)
}

function accountsAt(call: Call, vaults: number): PoolAccounts {
  return { pool: call.account(0), vault0: call.account(vaults), vault1: call.account(vaults + 1) }
}

/**
 * Virtual quote after a trade: it counts in the price and is not in the vault. 0n in older events.
 * The event has the value before the trade. A trade whose fees stay in the vault lowers it by as
 * much: by the vault's income beside the trade and its pool fee.
 */
function virtualAfter(event: Buffer, isBuy: boolean, { into, out }: Flow): bigint {
  // Behind the instruction's name and two fees with their rates.
  const at = isBuy ? endOfText(event, buyNameAt) + 4 * 8 : sellVirtualAt
  if (at + 16 > event.length) return 0n
  const traded = readU64(event, 104)
  const kept = into - out - (isBuy ? traded : -traded)
  return readI128(event, at) - kept
}

function stateWith(
  scope: TransactionScope,
  call: Call,
  accounts: PoolAccounts,
  virtual: bigint | null,
): PoolState {
  const { reserve0, reserve1 } = vaultState(scope, call, accounts)
  if (reserve1 === null || virtual === null) return { reserve0, reserve1, priceRaw: null }
  return { reserve0, reserve1, priceRaw: ratioOf(reserve1 + virtual, reserve0), told: [virtual] }
}

const decodeCreate: CallDecoder = (call, scope) => {
  if (call.accounts.length < 11) return false
  const accounts = accountsAt(call, 9)
  const [pool, token0, token1] = [0, 3, 4].map((nth) => scope.key(call.account(nth))) as [
    ...[string, string, string],
  ]
  const user = call.account(2)
  pushPool(scope, { kind: 'constantProduct', program: call.program, pool, token0, token1, user })
  const state = stateWith(scope, call, accounts, 0n)
  return pushMovedLiquidity(scope, call, { kind: 'create', accounts, user, state })
}

const decodeLiquidity =
  (kind: 'add' | 'remove'): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < 11) return false
    const accounts = accountsAt(call, 9)
    // The event lacks the virtual reserve, which is part of the price.
    const state = stateWith(scope, call, accounts, null)
    return pushMovedLiquidity(scope, call, { kind, accounts, user: call.account(2), state })
  }

/** The program buys and burns: reserves change without a trader. */
const decodeBoost: CallDecoder = (call, scope) => {
  if (call.accounts.length < 9) return false
  const accounts = accountsAt(call, 5)
  const tokens = [scope.key(call.account(3)), scope.key(call.account(4))] as const
  const state = stateWith(scope, call, accounts, null)
  const [wallet, pool] = [scope.key(call.account(1)), scope.key(accounts.pool)]
  scope.push({ type: 'sync', wallet, pool, tokens, ...state, venues: scope.venues })
  return true
}

/**
 * Pays out fees that trades left in the quote vault. The virtual reserve rises by as much, so the
 * price stays. The instruction does not name the base vault.
 */
const decodeSweep: CallDecoder = (call, scope) => {
  if (call.accounts.length < 8) return false
  const vault = call.account(5)
  const swept = flowOf(scope.movesIn(call), vault).out
  if (swept === 0n) return true
  const event = scope.eventOf(call, sweepEvent)
  scope.push({
    type: 'sync',
    wallet: scope.key(call.account(0)),
    pool: scope.key(call.account(2)),
    tokens:
      event === null || event.length < 80
        ? undefined
        : [readKey(event, 48), scope.key(call.account(3))],
    reserve0: null,
    reserve1: scope.balanceAfter(vault, call),
    priceRaw: null,
    told: [0n, swept],
    venues: scope.venues,
  })
  return true
}

/** Pools for coins of pump.fun after their curve: constant product. Either side may be SOL. */
export const pumpSwap: SolanaVenue = {
  name: 'pumpSwap',
  kind: 'constantProduct',
  programs: ['pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'],
  instructions: {
    // buy, buy_exact_quote_in, sell
    '66063d1201daebea': decodeTrade(true),
    c62e1552b4d9e870: decodeTrade(true),
    '33e685a4017f83ad': decodeTrade(false),
    // buy_v2, buy_exact_quote_in_v2, sell_v2: fees stay in the pool until they are swept
    b817ee6167c5d33d: decodeTrade(true),
    c2ab1c46684d5b2f: decodeTrade(true),
    '5df6823ce7e940b2': decodeTrade(false),
    [multiHopSwap]: decodeMultiHop,
    // sweep_protocol_fee, sweep_creator_fee
    '0830be07b644b7e5': decodeSweep,
    '20f6bf3408c949ba': decodeSweep,
    // create_pool, deposit, withdraw, boost_buy_and_burn
    e992d18ecf6840bc: decodeCreate,
    f223c68952e1f2b6: decodeLiquidity('add'),
    b712469c946da122: decodeLiquidity('remove'),
    '694406af000723a2': decodeBoost,
  },
  priceAfter: ({ reserve0, reserve1, told: [virtual = 0n] }) =>
    ratioOf(reserve1 + virtual, reserve0),
  // A trade reports the virtual reserve, a sweep its increase.
  toldAfter: (told, [virtual]) => {
    const [, swept] = told
    if (swept === undefined) return told
    return virtual === undefined ? [] : [virtual + swept]
  },
}
