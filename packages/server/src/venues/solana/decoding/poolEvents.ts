import type { CurveTerms, PoolState, TraderBalancesAfter } from '../../../model/decodedBlock.ts'
import type { LiquidityKind, PoolKind } from '../../../model/pool.ts'
import type { SolanaTransaction } from '../../../model/solana/solanaTransaction.ts'
import { ratioOf } from './bytes.ts'
import type { Call } from './call.ts'
import { type TokenMove, wrappedSol } from './tokenMoves.ts'
import type { TransactionScope } from './transactionScope.ts'

/** A pool as an instruction names it, by key indexes. */
export type PoolAccounts = { pool: number; vault0: number; vault1: number }

/** Amounts into and out of an account by these transfers; out only to `payee`, if given. */
export function flowOf(moves: readonly TokenMove[], account: number, payee = -1) {
  let into = 0n
  let out = 0n
  for (const { from, to, amount } of moves) {
    if (to === account) into += amount
    if (from === account && (payee < 0 || to === payee)) out += amount
  }
  return { into, out }
}

/** Signed as the pool sees it: positive is received. */
export type TradedAmounts = { amount0: bigint; amount1: bigint }

/**
 * Amounts that a call moved into one vault of a pool and out of the other to `payee`. Transfers are
 * reliable even if logs were cut. Null if there are none.
 */
export function tradedAmountsIn(
  moves: readonly TokenMove[],
  { vault0, vault1 }: Pick<PoolAccounts, 'vault0' | 'vault1'>,
  payee = -1,
): TradedAmounts | null {
  const [flow0, flow1] = [flowOf(moves, vault0, payee), flowOf(moves, vault1, payee)]
  if (flow0.into > 0n && flow1.out > 0n && flow0.out === 0n)
    return { amount0: flow0.into, amount1: -flow1.out }
  if (flow1.into > 0n && flow0.out > 0n && flow1.out === 0n)
    return { amount0: -flow0.out, amount1: flow1.into }
  return payee < 0 ? null : tradedAmountsIn(moves, { vault0, vault1 })
}

/**
 * Balances of both vaults at the end of a call, and their ratio as the price if the venue prices by
 * it.
 */
export function vaultState(scope: TransactionScope, call: Call, accounts: PoolAccounts): PoolState {
  const reserve0 = scope.balanceAfter(accounts.vault0, call)
  const reserve1 = scope.balanceAfter(accounts.vault1, call)
  return { reserve0, reserve1, priceRaw: ratioOf(reserve1, reserve0) }
}

export function tokensOf(
  scope: TransactionScope,
  { vault0, vault1 }: Pick<PoolAccounts, 'vault0' | 'vault1'>,
): readonly [string, string] | undefined {
  const [token0, token1] = [scope.mintOf(vault0), scope.mintOf(vault1)]
  return token0 === null || token1 === null ? undefined : [token0, token1]
}

export type SwapParts = TradedAmounts & {
  pool: string
  /** The pool holds more than two tokens: these two are a pair of their own. @default false */
  isWide?: boolean | undefined
  tokens: readonly [string, string] | undefined
  /** Key index of the trader that the instruction names. */
  user: number
  state: PoolState
  curve?: CurveTerms | undefined
}

export function pushSwap(scope: TransactionScope, parts: SwapParts): void {
  const { pool, isWide, tokens, user, state, amount0, amount1, curve } = parts
  const wallet = traderOf(user, scope)
  const sender = user < 0 ? wallet : scope.key(user)
  scope.push({
    type: 'swap',
    wallet,
    pool,
    tokens,
    ...(isWide && { couple: tokens }),
    ...(curve && { curve }),
    sender,
    to: sender,
    amount0,
    amount1,
    reserve0: state.reserve0,
    reserve1: state.reserve1,
    priceRaw: state.priceRaw,
    ...(state.told && { told: state.told }),
    ...(tokens && { traderAfter: traderAfter(scope.transaction, wallet, tokens) }),
    venues: scope.venues,
  })
}

type LiquidityParts = {
  kind: LiquidityKind
  pool: string
  tokens: readonly [string, string] | undefined
  user: number
  amount0: bigint
  amount1: bigint
  state: PoolState
}

export function pushLiquidity(scope: TransactionScope, parts: LiquidityParts): void {
  const { kind, pool, tokens, user, amount0, amount1, state } = parts
  const sender = scope.key(user)
  const wallet = traderOf(user, scope)
  const { venues } = scope
  scope.push({
    type: 'liquidity',
    kind,
    wallet,
    pool,
    tokens,
    sender,
    amount0,
    amount1,
    ...state,
    venues,
  })
}

/** Pushes the liquidity that a call moved into or out of the vaults, if any. */
export function pushMovedLiquidity(
  scope: TransactionScope,
  call: Call,
  {
    kind,
    accounts,
    user,
    state,
  }: { kind: LiquidityKind; accounts: PoolAccounts; user: number; state: PoolState },
): boolean {
  const moves = scope.movesIn(call)
  const [flow0, flow1] = [flowOf(moves, accounts.vault0), flowOf(moves, accounts.vault1)]
  const isIn = kind === 'add' || kind === 'create'
  const [amount0, amount1] = isIn ? [flow0.into, flow1.into] : [flow0.out, flow1.out]
  if (amount0 === 0n && amount1 === 0n) return true
  const [pool, tokens] = [scope.key(accounts.pool), tokensOf(scope, accounts)]
  pushLiquidity(scope, { kind, pool, tokens, user, amount0, amount1, state })
  return true
}

type CreatedPool = {
  kind: PoolKind
  program: string
  pool: string
  token0: string
  token1: string
  user: number
  params?: readonly bigint[] | undefined
}

export function pushPool(scope: TransactionScope, created: CreatedPool): void {
  const { kind, program, pool, token0, token1, user, params } = created
  const wallet = traderOf(user, scope)
  scope.push({
    type: 'pool',
    wallet,
    kind,
    factory: program,
    pool,
    token0,
    token1,
    feePpm: null,
    ...(params && { params }),
    venues: scope.venues,
  })
}

/** Holdings of a trader after a transaction: both tokens of a pool, and SOL. */
export function traderAfter(
  { keys, lamportsAfter, tokenAccounts }: SolanaTransaction,
  wallet: string,
  tokens: readonly [string, string],
): TraderBalancesAfter {
  const lamports = lamportsAfter[keys.indexOf(wallet)]
  const native = lamports === undefined ? null : BigInt(lamports)
  const holdingOf = (mint: string): bigint | null => {
    // Every trade moves tokens of a pool, so a node that lists no token account left them out.
    if (tokenAccounts.size === 0) return null
    let held = 0n
    let hasAccount = false
    for (const { mint: accountMint, owner, after } of tokenAccounts.values()) {
      if (accountMint !== mint) continue
      if (owner === null) return null
      if (owner !== wallet || after === null) continue
      held += after
      hasAccount = true
    }
    // SOL is only wrapped during a trade, or not at all: without an account it is in the wallet.
    return mint === wrappedSol && !hasAccount ? native : held
  }
  return { native, holding0: holdingOf(tokens[0]), holding1: holdingOf(tokens[1]) }
}

/**
 * The trader: the owner of the token accounts that pay and receive. A router may pass tokens
 * through accounts of its own, whose address cannot sign: then it keeps almost nothing, and the
 * signer of the transaction is the trader. A program's address that keeps what it bought is the
 * trader itself, like a shared wallet.
 */
export function traderOf(user: number, scope: TransactionScope): string {
  if (user < 0) return scope.key(0)
  const key = scope.key(user)
  return scope.isSigner(user) || isTrader(key, scope) ? key : scope.key(0)
}

function isTrader(owner: string, scope: TransactionScope): boolean {
  const passed = new Map<string, { out: bigint; net: bigint }>()
  for (const [account, { mint, owner: holder, before, after }] of scope.transaction.tokenAccounts) {
    if (holder !== owner) continue
    const sum = passed.get(mint) ?? { out: 0n, net: 0n }
    sum.net += (after ?? 0n) - (before ?? 0n)
    for (const { from, amount } of scope.moves()) if (from === account) sum.out += amount
    passed.set(mint, sum)
  }
  // Passed-on tokens come in and go out in equal amounts.
  for (const { out, net } of passed.values())
    if (net !== 0n && (net < 0n ? -net : net) * 2n >= out) return true
  return false
}
