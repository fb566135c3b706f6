import type { CurveTerms, PoolState } from '../../model/decodedBlock.ts'
import { endOfText, ratioOf, readKey, readU64 } from './decoding/bytes.ts'
import { type Call, dataTagOf } from './decoding/call.ts'
import {
  fullPpm,
  ppmOf,
  pushCurveTrade,
  pushGraduation,
  pushLaunch,
} from './decoding/curveEvents.ts'
import { flowOf } from './decoding/poolEvents.ts'
import { systemProgram, wrappedSol } from './decoding/tokenMoves.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

const tradeEvent = 'bddb7fd34ee661ee'
// The first events ended before the real reserves of the curve.
const tradeEventBytesMin = 113
const tradeEventBytesReal = 129
const createEvent = '1b72a94ddeeb6376'
const completeEvent = '5f72619cd42e9808'
const postCompleteBuyEvent = '6fb06d8b316cd5fb'
const postCompleteBuyBytes = 232
// These two have 144 and 232 bytes today, and events grow. Trade events beside them have 350 and
// more.
const endEventBytesMax = 320
const keyBytes = 32

/** The route instruction of PumpSwap, and the one it calls on pump.fun for hops through curves. */
export const multiHopSwap = '2b644913e9f66f94'
export const multiHopCurveSwap = 'e19a7516d756f667'

// The part of every coin's supply that the curve sells.
const tokensForSale = 793_100_000_000_000n

/** The paying side of an event: since 2026 it need not be SOL. */
type Quote = { mint: string; amount: bigint; virtual: bigint; real: bigint | null }

type TradeAccounts = {
  mint: number
  curve: number
  vault: number
  userTokens: number
  user: number
}

const decodeTrade =
  (at: TradeAccounts): CallDecoder =>
  (call, scope) => {
    const event = scope.eventOf(call, tradeEvent)
    if (call.accounts.length <= at.user || event === null) return false
    if (event.length < tradeEventBytesMin) return false
    const [mint, curve, vault, userTokens, user] = [
      ...[at.mint, at.curve, at.vault, at.userTokens, at.user],
    ].map((nth) => call.account(nth)) as [number, number, number, number, number]
    pushTrades(scope, call, event, { mint, curve, vault, userTokens, user })
    return true
  }

/** The trades of one call, by the coin of each curve. */
export function curveTradesIn(call: Call, scope: TransactionScope): ReadonlyMap<string, Buffer> {
  const events = scope.eventsOf(call, tradeEvent)
  const whole = events.filter(({ length }) => length >= tradeEventBytesMin)
  return new Map(whole.map((event) => [readKey(event, 8), event]))
}

/**
 * `accounts` are key indexes. With `userTokens` -1 all that leaves the vault is the trade. The v3
 * buy that completes a curve continues in the future pool, whose tokens are still the curve's: that
 * part is a trade of its own on the curve.
 */
export function pushTrades(
  scope: TransactionScope,
  call: Call,
  event: Buffer,
  accounts: TradeAccounts,
): void {
  const quote = quoteOf(event)
  const isBuy = event[56] === 1
  const mint = scope.key(accounts.mint)
  const isEnd = (end: Buffer) => end.length >= 40 + keyBytes && readKey(end, 40) === mint
  const ends = (tag: string) => scope.eventsOf(call, tag, endEventBytesMax).filter(isEnd)
  const isFull = ends(completeEvent).length > 0
  const rest = isFull ? ends(postCompleteBuyEvent).find(isWholeRest) : undefined
  const moved = tokensMoved(call, scope, accounts, isBuy) - (rest ? readU64(rest, 144) : 0n)
  const amount = moved > 0n ? moved : readU64(event, 48)
  const state = stateOf(event, quote)
  const trade = {
    pool: scope.key(accounts.curve),
    terms: termsOf(call, mint, quote.mint),
    user: accounts.user,
  }
  pushCurveTrade(scope, {
    ...trade,
    amount0: isBuy ? -amount : amount,
    amount1: isBuy ? quote.amount : -quote.amount,
    state,
    filledPpm: isFull ? fullPpm : filledPpmOf(state),
  })
  if (rest === undefined) return
  const [baseOut, quoteIn] = [readU64(rest, 144), readU64(rest, 152)]
  pushCurveTrade(scope, {
    ...trade,
    amount0: -baseOut,
    amount1: quoteIn,
    state: {
      // Nothing is left for sale. The payment waits for the pool, which opens at this price.
      reserve0: state.reserve0,
      reserve1: state.reserve1 === null ? null : state.reserve1 + quoteIn,
      priceRaw: ratioOf(readU64(rest, 224), readU64(rest, 216)),
    },
    filledPpm: null,
  })
}

const isWholeRest = ({ length }: Buffer) => length >= postCompleteBuyBytes

/** Counts the instruction's own transfers; 0 if there are none. */
function tokensMoved(
  call: Call,
  scope: TransactionScope,
  { vault, userTokens }: TradeAccounts,
  isBuy: boolean,
): bigint {
  const { into, out } = flowOf(scope.movesIn(call), vault, isBuy ? userTokens : -1)
  return isBuy ? out : into
}

/** State after the trade. Virtual reserves make the price, real ones can be withdrawn. */
function stateOf(event: Buffer, quote: Quote): PoolState {
  const priceRaw = ratioOf(quote.virtual, readU64(event, 105))
  const reserve0 = event.length < tradeEventBytesReal ? null : readU64(event, 121)
  return { reserve0, reserve1: quote.real, priceRaw }
}

function filledPpmOf({ reserve0 }: PoolState): number | null {
  return reserve0 === null ? null : ppmOf(tokensForSale - reserve0, tokensForSale)
}

/** The quote follows two parts of variable length, in events that have it. */
function quoteOf(event: Buffer): Quote {
  const real = event.length < tradeEventBytesReal ? null : readU64(event, 113)
  const inSol = { mint: wrappedSol, amount: readU64(event, 40), virtual: readU64(event, 97), real }
  // The instruction's name, a flag, two fees with their rates, and the list of fee recipients.
  const shares = endOfText(event, 258) + 1 + 4 * 8
  if (shares + 4 > event.length) return inSol
  const at = shares + 4 + event.readUInt32LE(shares) * (keyBytes + 2)
  if (at + keyBytes + 3 * 8 > event.length) return inSol
  const mint = readKey(event, at)
  // Curves paid in SOL have the amounts at both offsets, others only here.
  if (mint === systemProgram || (mint === wrappedSol && inSol.virtual > 0n)) return inSol
  const [amount, virtual, realQuote] = [0, 8, 16].map((by) =>
    readU64(event, at + keyBytes + by),
  ) as [bigint, bigint, bigint]
  return { mint, amount, virtual, real: realQuote }
}

function termsOf(call: Call, token0: string, token1: string): CurveTerms {
  return { platform: call.program, token0, token1, venue: pumpFun.name }
}

const decodeCreate: CallDecoder = (call, scope) => {
  const event = scope.eventOf(call, createEvent)
  if (event === null || call.accounts.length < 8) return false
  // Name, symbol and URI, then mint, curve, user, creator.
  const at = endOfText(event, endOfText(event, endOfText(event, 8)))
  if (at + 3 * keyBytes > event.length) return false
  const [mint, pool, user] = [0, 1, 2].map((nth) => readKey(event, at + nth * keyBytes)) as [
    ...[string, string, string],
  ]
  const creator = at + 4 * keyBytes <= event.length ? readKey(event, at + 3 * keyBytes) : user
  // Time, four reserves, the token program and two flags come before it.
  const quoteAt = at + 4 * keyBytes + 5 * 8 + keyBytes + 2
  const quote = quoteAt + keyBytes <= event.length ? readKey(event, quoteAt) : systemProgram
  const terms = termsOf(call, mint, quote === systemProgram ? wrappedSol : quote)
  // The mint signs, too, and precedes its creator.
  const maker = scope.transaction.keys.indexOf(user)
  pushLaunch(scope, { terms, pool, creator, user: maker, start: startOf(event, at + 4 * keyBytes) })
  return true
}

/**
 * The amount a curve sells at first follows the time of creation. Behind the quote mint the event
 * has the quote's virtual reserve; for curves not paid in SOL the first offset may be 0. Null for
 * events of 2024, which end before it.
 */
function startOf(event: Buffer, at: number): PoolState | null {
  if (at + 5 * 8 > event.length) return null
  const [virtualTokens, virtualSol, realTokens] = [1, 2, 3].map((nth) =>
    readU64(event, at + nth * 8),
  ) as [bigint, bigint, bigint]
  const quoteAt = at + 5 * 8 + keyBytes + 2 + keyBytes
  const virtualQuote =
    virtualSol > 0n || quoteAt + 8 > event.length ? virtualSol : readU64(event, quoteAt)
  return { reserve0: realTokens, reserve1: 0n, priceRaw: ratioOf(virtualQuote, virtualTokens) }
}

/** Anybody may call it again later: then it creates no pool and emits nothing. */
const decodeMigrate =
  (at: { mint: number; quote: number; curve: number; pool: number }): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length <= at.pool) return false
    if (scope.eventOf(call, 'bde95db95c94ea94') === null) return true
    const [mint, quote, curve, pool] = [at.mint, at.quote, at.curve, at.pool].map((nth) =>
      scope.key(call.account(nth)),
    ) as [string, string, string, string]
    pushGraduation(scope, {
      curve,
      pool,
      terms: termsOf(call, mint, quote),
      user: scope.signerOf(call),
    })
    return true
  }

/**
 * Part of a PumpSwap route: the decoder of `multi_hop_swap`, which names the curves, reads these
 * trades in order.
 */
const decodeRoute: CallDecoder = (call, scope) => {
  const caller = scope.callerOf(call)
  return caller !== null && dataTagOf(caller, 8) === multiHopSwap
}

/** Pays out fees that wait beside the curve's reserves: the reserves stay the same. */
const decodeSweep: CallDecoder = () => true

const tradeV1 = { mint: 2, curve: 3, vault: 4, userTokens: 5, user: 6 }
const tradeV2 = { mint: 1, curve: 10, vault: 11, userTokens: 14, user: 13 }
const tradeV3 = { mint: 1, curve: 5, vault: 6, userTokens: 9, user: 8 }

/**
 * The curve of pump.fun. Lamports move without a transfer instruction, so events give that side.
 */
export const pumpFun: SolanaVenue = {
  name: 'pumpFun',
  kind: 'curve',
  programs: ['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'],
  instructions: {
    // buy, buy_exact_sol_in, sell
    '66063d1201daebea': decodeTrade(tradeV1),
    '38fc74089edfcd5f': decodeTrade(tradeV1),
    '33e685a4017f83ad': decodeTrade(tradeV1),
    // buy_v2, buy_exact_quote_in_v2, sell_v2
    b817ee6167c5d33d: decodeTrade(tradeV2),
    c2ab1c46684d5b2f: decodeTrade(tradeV2),
    '5df6823ce7e940b2': decodeTrade(tradeV2),
    // buy_v3, buy_exact_quote_in_v3, sell_v3: fees stay on the curve until they are swept
    '07051dc4f5176550': decodeTrade(tradeV3),
    e1f7501ed5b38488: decodeTrade(tradeV3),
    '1c92de7726c469d5': decodeTrade(tradeV3),
    [multiHopCurveSwap]: decodeRoute,
    // sweep_protocol_fee, sweep_creator_fee
    '0830be07b644b7e5': decodeSweep,
    '20f6bf3408c949ba': decodeSweep,
    // create, create_v2
    '181ec828051c0777': decodeCreate,
    d6904cec5f8b31b4: decodeCreate,
    // migrate, migrate_v2
    '9beae792ec9ea21e': decodeMigrate({ mint: 2, quote: 14, curve: 3, pool: 9 }),
    bbcb121fceedfe29: decodeMigrate({ mint: 2, quote: 3, curve: 4, pool: 10 }),
  },
}
