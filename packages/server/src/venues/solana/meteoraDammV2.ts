import type { PoolState } from '../../model/decodedBlock.ts'
import { priceOfRoot, readKey, readU64, readU128 } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import {
  type PoolAccounts,
  pushLiquidity,
  pushMovedLiquidity,
  pushPool,
  pushSwap,
  tokensOf,
  tradedAmountsIn,
  vaultState,
} from './decoding/poolEvents.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

// EvtSwap2 since late 2025, EvtSwap before.
const swap2Event = 'bd4233a826507599'
const swap2EventBytes = 188
const swapEvent = '1b3c15d58aaabb93'
const swapEventBytes = 130
const initializeEvent = 'e432f655cb428625'
const changeEvent = 'c5ab4e7fe0d3570d'
const changeEventBytes = 185

const decodeSwap: CallDecoder = (call, scope) => {
  if (call.accounts.length < 13) return false
  const accounts = accountsAt(call, 1, 4)
  const traded = tradedAmountsIn(scope.movesIn(call), accounts, call.account(3))
  if (traded === null) return false
  const tokens = [scope.key(call.account(6)), scope.key(call.account(7))] as const
  const state = stateAfter(call, scope, accounts)
  pushSwap(scope, {
    pool: scope.key(accounts.pool),
    tokens,
    user: call.account(8),
    state,
    ...traded,
  })
  return true
}

function stateAfter(call: Call, scope: TransactionScope, accounts: PoolAccounts): PoolState {
  const event = scope.eventOf(call, swap2Event)
  if (event !== null && event.length >= swap2EventBytes) {
    const [reserve0, reserve1] = [readU64(event, 172), readU64(event, 180)]
    return { reserve0, reserve1, priceRaw: priceOfRoot(readU128(event, 92)) }
  }
  const older = scope.eventOf(call, swapEvent)
  const isTold = older !== null && older.length >= swapEventBytes
  const priceRaw = isTold ? priceOfRoot(readU128(older, 66)) : null
  return { ...vaultState(scope, call, accounts), priceRaw }
}

/**
 * Amounts of the event, which exclude withheld transfer fees; without the event those of the
 * transfers.
 */
const decodeLiquidity =
  (kind: 'add' | 'remove', at: { pool: number; vaults: number; user: number }): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length <= at.user) return false
    const accounts = accountsAt(call, at.pool, at.vaults)
    const user = call.account(at.user)
    const vaults = { ...vaultState(scope, call, accounts), priceRaw: null }
    const event = scope.eventOf(call, changeEvent)
    if (event === null || event.length < changeEventBytes)
      return pushMovedLiquidity(scope, call, { kind, accounts, user, state: vaults })
    const [pool, tokens] = [readKey(event, 8), tokensOf(scope, accounts)]
    const [amount0, amount1] = [readU64(event, 104), readU64(event, 112)]
    const [reserve0, reserve1] = [readU64(event, 136), readU64(event, 144)]
    const state = { reserve0, reserve1, priceRaw: null }
    pushLiquidity(scope, { kind, pool, tokens, user, amount0, amount1, state })
    return true
  }

/**
 * The first price follows the fees, whose dynamic part is optional: two roots, two modes and the
 * liquidity come first.
 */
function firstPriceOf(event: Buffer): number | null {
  const at = event[230] === 0 ? 281 : 313
  return event.length < at + 16 ? null : priceOfRoot(readU128(event, at))
}

/** `place` is the pool's index; mints and vaults follow it. */
const decodeInitialize =
  (place: number): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < place + 8) return false
    const accounts = accountsAt(call, place, place + 4)
    const [token0, token1] = [place + 2, place + 3].map((nth) => scope.key(call.account(nth))) as [
      ...[string, string],
    ]
    const user = call.account(0)
    const pool = scope.key(accounts.pool)
    pushPool(scope, { kind: 'concentrated', program: call.program, pool, token0, token1, user })
    const event = scope.eventOf(call, initializeEvent)
    const priceRaw = event && firstPriceOf(event)
    const state = { ...vaultState(scope, call, accounts), priceRaw }
    return pushMovedLiquidity(scope, call, { kind: 'create', accounts, user, state })
  }

function accountsAt(call: Call, pool: number, vaults: number): PoolAccounts {
  return {
    pool: call.account(pool),
    vault0: call.account(vaults),
    vault1: call.account(vaults + 1),
  }
}

const removal = { pool: 1, vaults: 5, user: 10 }

/** Meteora's second pools: one price range each, constant product inside it. */
export const meteoraDammV2: SolanaVenue = {
  name: 'meteoraDammV2',
  kind: 'concentrated',
  programs: ['cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'],
  instructions: {
    // swap, swap2
    f8c69e91e17587c8: decodeSwap,
    '414b3f4ceb5b5b88': decodeSwap,
    // add_liquidity, remove_liquidity, remove_all_liquidity
    b59d59438fb63448: decodeLiquidity('add', { pool: 0, vaults: 4, user: 9 }),
    '5055d14818ceb16c': decodeLiquidity('remove', removal),
    '0a333d2370691855': decodeLiquidity('remove', removal),
    // initialize_pool, initialize_customizable_pool, initialize_pool_with_dynamic_config
    '5fb40aac54aee828': decodeInitialize(6),
    '14a1f118bdddb402': decodeInitialize(5),
    '955248c5fdfc440f': decodeInitialize(7),
  },
}
