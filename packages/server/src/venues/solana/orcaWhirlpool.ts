import type { PoolState } from '../../model/decodedBlock.ts'
import type { LiquidityKind } from '../../model/pool.ts'
import { priceOfRoot, readKey, readU128 } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import {
  type PoolAccounts,
  pushMovedLiquidity,
  pushPool,
  pushSwap,
  tokensOf,
  tradedAmountsIn,
  vaultState,
} from './decoding/poolEvents.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

const tradedEvent = 'e1ca49af932ba096'
const tradedEventBytes = 121

type SwapAccounts = PoolAccounts & { owner0: number; owner1: number; user: number }

/** A swap in one pool, by the indexes of its accounts. */
const decodeSwap =
  (at: Record<keyof SwapAccounts, number>): CallDecoder =>
  (call, scope) => {
    const accounts = placed(call, at)
    return accounts.vault1 >= 0 && pushHop(call, scope, accounts)
  }

function placed(call: Call, at: Record<keyof SwapAccounts, number>): SwapAccounts {
  return {
    pool: call.account(at.pool),
    vault0: call.account(at.vault0),
    vault1: call.account(at.vault1),
    owner0: call.account(at.owner0),
    owner1: call.account(at.owner1),
    user: call.account(at.user),
  }
}

function pushHop(call: Call, scope: TransactionScope, accounts: SwapAccounts): boolean {
  const moves = scope.movesIn(call)
  // Outflow to the user's account of either token: only one of them is the payment.
  const traded =
    tradedAmountsIn(moves, accounts, accounts.owner1) ??
    tradedAmountsIn(moves, accounts, accounts.owner0)
  if (traded === null) return false
  const pool = scope.key(accounts.pool)
  const state = stateAfter(call, scope, accounts, pool)
  const tokens = tokensOf(scope, accounts)
  pushSwap(scope, { pool, tokens, user: accounts.user, state, ...traded })
  return true
}

/** Programs from before 2025 emit no event, so the price is unknown. */
function stateAfter(
  call: Call,
  scope: TransactionScope,
  accounts: PoolAccounts,
  pool: string,
): PoolState {
  const event = scope
    .eventsOf(call, tradedEvent)
    .find((one) => one.length >= tradedEventBytes && readKey(one, 8) === pool)
  const priceRaw = event === undefined ? null : priceOfRoot(readU128(event, 57))
  return { ...vaultState(scope, call, accounts), priceRaw }
}

const decodeTwoHops: CallDecoder = (call, scope) => {
  if (call.accounts.length < 12) return false
  const one = { pool: 2, owner0: 4, vault0: 5, owner1: 6, vault1: 7, user: 1 }
  const two = { pool: 3, owner0: 8, vault0: 9, owner1: 10, vault1: 11, user: 1 }
  return pushHop(call, scope, placed(call, one)) && pushHop(call, scope, placed(call, two))
}

/**
 * Tokens between the pools go from vault to vault. Accounts are ordered by direction, which flags
 * state.
 */
const decodeTwoHopsV2: CallDecoder = (call, scope) => {
  const { data } = call
  if (call.accounts.length < 15 || data.length < 27) return false
  const one = { pool: 0, vaultIn: 9, vaultOut: 10, isFirstIn: data[25] === 1 }
  const two = { pool: 1, vaultIn: 11, vaultOut: 12, isFirstIn: data[26] === 1 }
  for (const { pool, vaultIn, vaultOut, isFirstIn } of [one, two]) {
    const [vault0, vault1] = isFirstIn ? [vaultIn, vaultOut] : [vaultOut, vaultIn]
    // The receiver does not matter: each pool pays out once.
    const at = { pool, vault0, vault1, owner0: -1, owner1: -1, user: 14 }
    const accounts = { ...placed(call, at), owner0: -1, owner1: -1 }
    if (!pushHop(call, scope, accounts)) return false
  }
  return true
}

/** `root` is the offset of the first price in the data. */
const decodeInitialize =
  (at: { mints: number; pool: number; user: number; root: number }): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length <= at.pool || call.data.length < at.root + 16) return false
    const pool = scope.key(call.account(at.pool))
    const token0 = scope.key(call.account(at.mints))
    const token1 = scope.key(call.account(at.mints + 1))
    const user = call.account(at.user)
    pushPool(scope, { kind: 'concentrated', program: call.program, pool, token0, token1, user })
    const state = {
      reserve0: 0n,
      reserve1: 0n,
      priceRaw: priceOfRoot(readU128(call.data, at.root)),
    }
    const { venues } = scope
    const wallet = scope.key(user)
    scope.pushBeside({ type: 'sync', wallet, pool, tokens: [token0, token1], ...state, venues })
    return true
  }

const decodeLiquidity =
  (kind: LiquidityKind, at: { vault0: number; vault1: number; user: number }): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length <= at.vault1) return false
    const [vault0, vault1] = [call.account(at.vault0), call.account(at.vault1)]
    const accounts = { pool: call.account(0), vault0, vault1 }
    const state = { ...vaultState(scope, call, accounts), priceRaw: null }
    return pushMovedLiquidity(scope, call, { kind, accounts, user: call.account(at.user), state })
  }

/** Moves a position to other prices: it withdraws, then deposits. */
const decodeReposition: CallDecoder = (call, scope) => {
  const at = { vault0: 12, vault1: 13, user: 4 }
  return decodeLiquidity('remove', at)(call, scope) && decodeLiquidity('add', at)(call, scope)
}

const changeV1 = { vault0: 7, vault1: 8, user: 2 }
const changeV2 = { vault0: 11, vault1: 12, user: 4 }

/** Orca's concentrated liquidity. */
export const orcaWhirlpool: SolanaVenue = {
  name: 'orcaWhirlpool',
  kind: 'concentrated',
  programs: ['whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'],
  instructions: {
    // swap, swap_v2
    f8c69e91e17587c8: decodeSwap({ user: 1, pool: 2, owner0: 3, vault0: 4, owner1: 5, vault1: 6 }),
    '2b04ed0b1ac91e62': decodeSwap({
      user: 3,
      pool: 4,
      owner0: 7,
      vault0: 8,
      owner1: 9,
      vault1: 10,
    }),
    // two_hop_swap, two_hop_swap_v2
    c360ed6c44a2dbe6: decodeTwoHops,
    ba8fd11dfe02c275: decodeTwoHopsV2,
    // initialize_pool, initialize_pool_v2, initialize_pool_with_adaptive_fee
    '5fb40aac54aee828': decodeInitialize({ mints: 1, pool: 4, user: 3, root: 11 }),
    cf2d57f21b3fcc43: decodeInitialize({ mints: 1, pool: 6, user: 5, root: 10 }),
    '8f5e604cac7c77c7': decodeInitialize({ mints: 1, pool: 7, user: 5, root: 8 }),
    // increase_liquidity, increase_liquidity_v2, increase_liquidity_by_token_amounts_v2
    '2e9cf3760dcdfbb2': decodeLiquidity('add', changeV1),
    '851d59df45eeb00a': decodeLiquidity('add', changeV2),
    effb097cd2c6352b: decodeLiquidity('add', changeV2),
    // decrease_liquidity, decrease_liquidity_v2
    a026d06f685b2c01: decodeLiquidity('remove', changeV1),
    '3a7fbc3e4f52c460': decodeLiquidity('remove', changeV2),
    // reposition_liquidity_v2
    bfa9e00b83139efd: decodeReposition,
    // collect_fees, collect_fees_v2
    a498cf631eba13b6: decodeLiquidity('collect', { vault0: 5, vault1: 7, user: 1 }),
    cf755fbfe5b4e20f: decodeLiquidity('collect', { vault0: 7, vault1: 9, user: 1 }),
  },
}
