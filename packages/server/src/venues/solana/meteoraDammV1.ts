import type { PoolState } from '../../model/decodedBlock.ts'
import type { LiquidityKind } from '../../model/pool.ts'
import { ratioOf } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import {
  flowOf,
  type PoolAccounts,
  pushMovedLiquidity,
  pushPool,
  pushSwap,
  tokensOf,
  tradedAmountsIn,
} from './decoding/poolEvents.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

// All pools of a token share its vault, which lends it out: no balance is a reserve of the pool.
const unknown: PoolState = { reserve0: null, reserve1: null, priceRaw: null }

const decodeSwap: CallDecoder = (call, scope) => {
  if (call.accounts.length < 13) return false
  const accounts = accountsAt(call, 5)
  const traded = tradedAmountsIn(scope.movesIn(call), accounts, call.account(2))
  if (traded === null) return false
  const { amount0, amount1 } = traded
  // The ratio of the amounts is the closest figure to a price.
  const priceRaw = amount0 > 0n ? ratioOf(-amount1, amount0) : ratioOf(amount1, -amount0)
  const [pool, tokens] = [scope.key(accounts.pool), tokensOf(scope, accounts)]
  const state = { ...unknown, priceRaw }
  pushSwap(scope, { pool, tokens, user: call.account(12), state, ...traded })
  return true
}

const decodeLiquidity =
  (kind: LiquidityKind, user: number): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length <= user) return false
    const accounts = accountsAt(call, 9)
    return pushMovedLiquidity(scope, call, {
      kind,
      accounts,
      user: call.account(user),
      state: unknown,
    })
  }

/**
 * `first` is the index of the first mint; vaults and payer follow at fixed distances.
 * Constant-product pools start with the deposited amounts.
 */
const decodeInitialize =
  (first: number, isProduct: boolean): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < first + 16) return false
    const accounts = accountsAt(call, first + 4)
    const [token0, token1] = [scope.key(call.account(first)), scope.key(call.account(first + 1))]
    const user = call.account(first + 15)
    const pool = scope.key(accounts.pool)
    pushPool(scope, { kind: 'vault', program: call.program, pool, token0, token1, user })
    const moves = scope.movesIn(call)
    const [into0, into1] = [accounts.vault0, accounts.vault1].map(
      (vault) => flowOf(moves, vault).into,
    ) as [...[bigint, bigint]]
    const state = { ...unknown, priceRaw: isProduct ? ratioOf(into1, into0) : null }
    return pushMovedLiquidity(scope, call, { kind: 'create', accounts, user, state })
  }

function accountsAt(call: Call, vaults: number): PoolAccounts {
  return { pool: call.account(0), vault0: call.account(vaults), vault1: call.account(vaults + 1) }
}

/** Meteora's first pools, which keep their tokens in interest-bearing vaults. */
export const meteoraDammV1: SolanaVenue = {
  name: 'meteoraDammV1',
  kind: 'vault',
  programs: ['Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB'],
  instructions: {
    // swap
    f8c69e91e17587c8: decodeSwap,
    // add_balance_liquidity, add_imbalance_liquidity, bootstrap_liquidity
    a8e3323ebdab54b0: decodeLiquidity('add', 13),
    '4f237a54ad0f5dbf': decodeLiquidity('add', 13),
    '04e4d747e1fd77ce': decodeLiquidity('add', 13),
    // remove_balance_liquidity, remove_liquidity_single_side
    '856d2cb338ee7221': decodeLiquidity('remove', 13),
    '5454b142feb90afb': decodeLiquidity('remove', 12),
    // initialize_permissionless_pool, ..._with_fee_tier,
    // initialize_customizable_permissionless_constant_product_pool
    '76ad299dad486167': decodeInitialize(2, false),
    '06874493e552a971': decodeInitialize(2, false),
    '9118acc2db7d03be': decodeInitialize(2, true),
    // initialize_permissionless_constant_product_pool_with_config, ..._with_config2
    '07a68aabceabecf4': decodeInitialize(3, true),
    '3095dc823d0b09b2': decodeInitialize(3, true),
  },
}
