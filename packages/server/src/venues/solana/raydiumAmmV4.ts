import type { PoolState } from '../../model/decodedBlock.ts'
import { ratioOf, readU64 } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import {
  type PoolAccounts,
  pushMovedLiquidity,
  pushPool,
  pushSwap,
  type TradedAmounts,
  tokensOf,
  tradedAmountsIn,
  vaultState,
} from './decoding/poolEvents.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

// First byte of a swap's log, by the side that was fixed.
const swapLogTypes: ReadonlySet<number> = new Set([3, 4])
const swapLogBytes = 57
// Including the target orders account; pools without one have one account less.
const accountsWithTargets = 18

/** With an order book behind the pool. */
const decodeSwap: CallDecoder = (call, scope) => {
  const { length } = call.accounts
  if (length < accountsWithTargets - 1) return false
  if (length >= accountsWithTargets && swapWith(call, scope, { vaults: 5, user: 15 })) return true
  return swapWith(call, scope, { vaults: 4, user: 14 })
}

/** Without an order book. */
const decodeSwapV2: CallDecoder = (call, scope) => {
  if (call.accounts.length < 8) return false
  return swapWith(call, scope, { vaults: 3, user: 5 })
}

/**
 * `vaults` and `user` are the first indexes of the pool's and the user's accounts: source,
 * destination, owner.
 */
function swapWith(call: Call, scope: TransactionScope, at: { vaults: number; user: number }) {
  const accounts = accountsAt(call, at.vaults)
  // Meanwhile the order book may pay what it owes the pool into the vaults.
  const traded = tradedAmountsIn(scope.ownMovesIn(call), accounts, call.account(at.user + 1))
  if (traded === null) return false
  const state = stateAfter(call, scope, accounts, traded)
  const [pool, tokens] = [scope.key(accounts.pool), tokensOf(scope, accounts)]
  pushSwap(scope, { pool, tokens, user: call.account(at.user + 2), state, ...traded })
  return true
}

function accountsAt(call: Call, vaults: number, pool = 1): PoolAccounts {
  return {
    pool: call.account(pool),
    vault0: call.account(vaults),
    vault1: call.account(vaults + 1),
  }
}

/**
 * The log has the reserves before the swap, without the fees owed to the pool's owner, which the
 * vaults include.
 */
function stateAfter(
  call: Call,
  scope: TransactionScope,
  accounts: PoolAccounts,
  { amount0, amount1 }: TradedAmounts,
): PoolState {
  const log = scope.rayLogOf(call)
  if (log === null || log.length < swapLogBytes || !swapLogTypes.has(log[0]!))
    return vaultState(scope, call, accounts)
  const reserve0 = readU64(log, 33) + amount0
  const reserve1 = readU64(log, 41) + amount1
  return { reserve0, reserve1, priceRaw: ratioOf(reserve1, reserve0) }
}

const decodeInitialize: CallDecoder = (call, scope) => {
  if (call.accounts.length < 18) return false
  const accounts = accountsAt(call, 10, 4)
  const [token0, token1] = [scope.key(call.account(8)), scope.key(call.account(9))]
  const user = call.account(17)
  const pool = scope.key(accounts.pool)
  pushPool(scope, { kind: 'constantProduct', program: call.program, pool, token0, token1, user })
  const state = vaultState(scope, call, accounts)
  return pushMovedLiquidity(scope, call, { kind: 'create', accounts, user, state })
}

const decodeDeposit: CallDecoder = (call, scope) => {
  if (call.accounts.length < 13) return false
  return moveLiquidity(call, scope, 'add')
}

const decodeWithdraw: CallDecoder = (call, scope) => {
  if (call.accounts.length < 17) return false
  return moveLiquidity(call, scope, 'remove')
}

// Builds differ in the accounts behind the vaults; the user is the one that signs.
function moveLiquidity(call: Call, scope: TransactionScope, kind: 'add' | 'remove') {
  const accounts = accountsAt(call, 6)
  const [user, state] = [scope.signerOf(call), vaultState(scope, call, accounts)]
  return pushMovedLiquidity(scope, call, { kind, accounts, user, state })
}

/**
 * Raydium's first AMM: constant product, with an order book behind older pools. Token 0 is its
 * coin, token 1 its pc.
 */
export const raydiumAmmV4: SolanaVenue = {
  name: 'raydiumAmmV4',
  kind: 'constantProduct',
  programs: ['675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'],
  instructions: {
    '01': decodeInitialize,
    '03': decodeDeposit,
    '04': decodeWithdraw,
    '09': decodeSwap,
    '0b': decodeSwap,
    '10': decodeSwapV2,
    '11': decodeSwapV2,
  },
}
