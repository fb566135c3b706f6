import type { CallDecoder } from '../venue.ts'
import { isKeyBelow, ratioOf } from './bytes.ts'
import type { Call } from './call.ts'
import { pushSwap, vaultState } from './poolEvents.ts'
import type { TokenMove } from './tokenMoves.ts'
import type { TransactionScope } from './transactionScope.ts'

/** Indexes of pool and trader among the accounts of a call; negative counts from the end. */
export type AccountIndexes = { pool: number; user: number }

/** Does the pool of a call hold more than two tokens? Then every two of them are a pair. */
export type IsMultiToken = (call: Call) => boolean

/**
 * Decodes a trade by its transfers: one token in, signed by the trader, and another one out to the
 * trader. Other instructions (a market maker's quotes, orders, deposits, withdrawals) never do
 * both, so their data need not be known.
 */
export const decodeByTransfers =
  ({ pool, user }: AccountIndexes, isWide: IsMultiToken = () => false): CallDecoder =>
  (call, scope) => {
    const [poolAt, userAt] = [call.account(pool), call.account(user)]
    const moved = movedIn(call, scope, poolAt, userAt)
    if (moved === null) return true
    const address = scope.key(poolAt)
    if (address === '') return false
    pushTrade(call, scope, { pool: address, isWide: isWide(call), ...moved })
    return true
  }

/** Does the call move tokens like a trade, whatever its accounts are? */
export function looksLikeTrade(call: Call, scope: TransactionScope): boolean {
  return movedIn(call, scope, -1, -1) !== null
}

/**
 * Finds one token traded for another, with the key indexes of the pool and the named trader. Null
 * if it is not a trade.
 */
function movedIn(call: Call, scope: TransactionScope, pool: number, user: number) {
  const moves = scope.movesIn(call)
  if (moves.length < 2) return null
  const trader = traderOf(scope, moves, user)
  const got = moves.filter(
    ({ authority, to }) => authority !== trader && isHis(scope, trader, to, pool),
  )
  const paid = moves.filter((move) => move.authority === trader && !isPassedOn(move, got))
  const sides = sidesOf(scope, paid, got)
  return sides && { trader, ...sides }
}

/** A router's transfers after a pool's call, if nothing shows that the call had ended before. */
function isPassedOn({ from, call }: TokenMove, got: readonly TokenMove[]): boolean {
  return got.some((move) => move.to === from && move.call < call)
}

/** The named account if it moved something, else the signer of the transfers or the first payer. */
function traderOf(scope: TransactionScope, moves: readonly TokenMove[], named: number) {
  if (named >= 0 && moves.some(({ authority }) => authority === named)) return named
  return moves.find(({ authority }) => scope.isSigner(authority))?.authority ?? moves[0]!.authority
}

/** Nodes return no owner for an account that was opened only for the trade. */
function isHis(scope: TransactionScope, trader: number, account: number, pool: number): boolean {
  const owner = scope.ownerOf(account)
  return owner === null ? account !== pool : owner === scope.key(trader)
}

type Side = { vault: number; token: string; amount: bigint }

/** Null if the transfers are not one token for another. */
function sidesOf(
  scope: TransactionScope,
  paid: readonly TokenMove[],
  got: readonly TokenMove[],
): { into: Side; out: Side } | null {
  if (paid.length === 0 || got.length === 0) return null
  const into = sumOf(scope, paid, largestOf(paid).to, 'to')
  const out = sumOf(scope, got, largestOf(got).from, 'from')
  return into === null || out === null || into.token === out.token ? null : { into, out }
}

/** Other transfers may be fees. */
function largestOf(moves: readonly TokenMove[]): TokenMove {
  return moves.reduce((largest, move) => (move.amount > largest.amount ? move : largest))
}

function sumOf(
  scope: TransactionScope,
  moves: readonly TokenMove[],
  vault: number,
  end: 'from' | 'to',
): Side | null {
  const token = scope.mintOf(vault)
  if (token === null) return null
  let amount = 0n
  for (const move of moves) {
    if (move[end] === vault) amount += move.amount
    // A second token on one side is liquidity.
    else if (scope.mintOf(move[end]) !== token) return null
  }
  return amount === 0n ? null : { vault, token, amount }
}

type Trade = { pool: string; trader: number; isWide: boolean; into: Side; out: Side }

/** Such pools have no first token, so the order of the mints is used. */
function pushTrade(call: Call, scope: TransactionScope, trade: Trade): void {
  const { pool, trader, isWide, into, out } = trade
  const isIn0 = isKeyBelow(into.token, out.token)
  const [side0, side1] = isIn0 ? [into, out] : [out, into]
  const accounts = { pool: -1, vault0: side0.vault, vault1: side1.vault }
  // Prices of these pools come from outside the chain. The ratio of the amounts is the closest
  // figure.
  const priceRaw = ratioOf(side1.amount, side0.amount)
  pushSwap(scope, {
    pool,
    isWide,
    tokens: [side0.token, side1.token],
    user: trader,
    state: { ...vaultState(scope, call, accounts), priceRaw },
    amount0: isIn0 ? into.amount : -out.amount,
    amount1: isIn0 ? -out.amount : into.amount,
  })
}
