import type { PoolState } from '../../model/decodedBlock.ts'
import { isKeyBelow, ratioOf, readU64 } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import {
  type PoolAccounts,
  pushMovedLiquidity,
  pushPool,
  pushSwap,
  tradedAmountsIn,
  vaultState,
} from './decoding/poolEvents.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

const swapEvent = '40c6cde8260871e2'
const swapEventBytes = 89

const decodeSwap: CallDecoder = (call, scope) => {
  if (call.accounts.length < 13) return false
  const [pool, tokenIn, tokenOut] = [3, 10, 11].map((nth) => scope.key(call.account(nth))) as [
    ...[string, string, string],
  ]
  // The instruction orders both sides by direction, the pool by its mints.
  const isIn0 = isKeyBelow(tokenIn, tokenOut)
  const [vaultIn, vaultOut] = [call.account(6), call.account(7)]
  const [vault0, vault1] = isIn0 ? [vaultIn, vaultOut] : [vaultOut, vaultIn]
  const accounts = { pool: call.account(3), vault0, vault1 }
  const traded = tradedAmountsIn(scope.movesIn(call), accounts, call.account(5))
  if (traded === null) return false
  const tokens = isIn0 ? ([tokenIn, tokenOut] as const) : ([tokenOut, tokenIn] as const)
  const state = stateAfter(call, scope, accounts, isIn0)
  pushSwap(scope, { pool, tokens, user: call.account(0), state, ...traded })
  return true
}

/** The event has the reserves before the swap, without fees that the vaults keep for others. */
function stateAfter(
  call: Call,
  scope: TransactionScope,
  accounts: PoolAccounts,
  isIn0: boolean,
): PoolState {
  const event = scope.eventOf(call, swapEvent)
  if (event === null || event.length < swapEventBytes) return vaultState(scope, call, accounts)
  const reserveIn = readU64(event, 40) + readU64(event, 56)
  const reserveOut = readU64(event, 48) - readU64(event, 64)
  const [reserve0, reserve1] = isIn0 ? [reserveIn, reserveOut] : [reserveOut, reserveIn]
  return { reserve0, reserve1, priceRaw: ratioOf(reserve1, reserve0) }
}

/**
 * `first` is the index of the first account; the variant with permission has one more before it.
 */
const decodeInitialize =
  (first: number): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < first + 12) return false
    const accounts = accountsAt(call, first + 3, first + 10)
    const [token0, token1] = [first + 4, first + 5].map((nth) => scope.key(call.account(nth))) as [
      ...[string, string],
    ]
    const user = call.account(first)
    const pool = scope.key(accounts.pool)
    pushPool(scope, { kind: 'constantProduct', program: call.program, pool, token0, token1, user })
    const state = vaultState(scope, call, accounts)
    return pushMovedLiquidity(scope, call, { kind: 'create', accounts, user, state })
  }

const decodeLiquidity =
  (kind: 'add' | 'remove'): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < 13) return false
    const accounts = accountsAt(call, 2, 6)
    const [user, state] = [call.account(0), vaultState(scope, call, accounts)]
    return pushMovedLiquidity(scope, call, { kind, accounts, user, state })
  }

function accountsAt(call: Call, pool: number, vaults: number): PoolAccounts {
  return {
    pool: call.account(pool),
    vault0: call.account(vaults),
    vault1: call.account(vaults + 1),
  }
}

/** Raydium's constant-product pools of any two tokens, including Token-2022. */
export const raydiumCpmm: SolanaVenue = {
  name: 'raydiumCpmm',
  kind: 'constantProduct',
  programs: ['CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'],
  instructions: {
    // swap_base_input, swap_base_output
    '8fbe5adac41e33de': decodeSwap,
    '37d96256a34ab4ad': decodeSwap,
    // initialize, initialize_with_permission
    afaf6d1f0d989bed: decodeInitialize(0),
    '3f37fe4131b25979': decodeInitialize(1),
    // deposit, withdraw
    f223c68952e1f2b6: decodeLiquidity('add'),
    b712469c946da122: decodeLiquidity('remove'),
  },
}
