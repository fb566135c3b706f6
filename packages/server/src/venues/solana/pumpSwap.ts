import type { PoolState } from '../../model/decodedBlock.ts'
import { endOfText, ratioOf, readI128 } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import {
  type PoolAccounts,
  pushMovedLiquidity,
  pushPool,
  pushSwap,
  tradedIn,
  vaultState,
} from './decoding/poolEvents.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

const buyEvent = '67f4521f2cf57777'
const sellEvent = '3e2f370aa503dc2a'
// Of the virtual reserve, in events that have it.
const sellVirtualAt = 392
const buyNameAt = 401

/** Buying pays base to the user, selling quote. */
const decodeTrade =
  (isBuy: boolean): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < 11) return false
    const accounts = accountsAt(call, 7)
    const traded = tradedIn(scope.movesIn(call), accounts, call.account(isBuy ? 5 : 6))
    if (traded === null) return false
    const tokens = [scope.key(call.account(3)), scope.key(call.account(4))] as const
    const event = scope.eventOf(call, isBuy ? buyEvent : sellEvent)
    const state = stateWith(scope, call, accounts, event && virtualOf(event, isBuy))
    pushSwap(scope, {
      pool: scope.key(accounts.pool),
      tokens,
      user: call.account(1),
      state,
      ...traded,
    })
    return true
  }

function accountsAt(call: Call, vaults: number): PoolAccounts {
  return { pool: call.account(0), vault0: call.account(vaults), vault1: call.account(vaults + 1) }
}

/** Quote that counts in the price and is not there; 0n in events of before there was any. */
function virtualOf(event: Buffer, isBuy: boolean): bigint {
  // Behind the instruction's name and two fees with their rates.
  const at = isBuy ? endOfText(event, buyNameAt) + 4 * 8 : sellVirtualAt
  return at + 16 <= event.length ? readI128(event, at) : 0n
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
    // What is virtual is not told here, and it is part of the price.
    const state = stateWith(scope, call, accounts, null)
    return pushMovedLiquidity(scope, call, { kind, accounts, user: call.account(2), state })
  }

/** The program buys for nobody and burns what it got: reserves change, and nobody traded. */
const decodeBoost: CallDecoder = (call, scope) => {
  if (call.accounts.length < 9) return false
  const accounts = accountsAt(call, 5)
  const tokens = [scope.key(call.account(3)), scope.key(call.account(4))] as const
  const state = stateWith(scope, call, accounts, null)
  const [wallet, pool] = [scope.key(call.account(1)), scope.key(accounts.pool)]
  scope.push({ type: 'sync', wallet, pool, tokens, ...state, venues: scope.venues })
  return true
}

/** Where coins of pump.fun trade after their curve: constant product. Either side may be SOL. */
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
    // create_pool, deposit, withdraw, boost_buy_and_burn
    e992d18ecf6840bc: decodeCreate,
    f223c68952e1f2b6: decodeLiquidity('add'),
    b712469c946da122: decodeLiquidity('remove'),
    '694406af000723a2': decodeBoost,
  },
  priceAfter: ({ reserve0, reserve1, told: [virtual = 0n] }) =>
    ratioOf(reserve1 + virtual, reserve0),
}
