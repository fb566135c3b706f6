import type { PoolState } from '../../model/decodedBlock.ts'
import { isKeyBelow, priceOfRoot, readKey, readU64, readU128 } from './decoding/bytes.ts'
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
import type { TokenMove } from './decoding/tokenMoves.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

const swapEvent = '40c6cde8260871e2'
const swapEventBytes = 205
const decreaseEvent = '3ade563a44325538'
const decreaseEventBytes = 128

const decodeSwap: CallDecoder = (call, scope) => {
  if (call.accounts.length < 9) return false
  const moves = scope.movesIn(call)
  const [vaultIn, vaultOut] = [call.account(5), call.account(6)]
  const hop = { pool: call.account(2), vaultIn, vaultOut, user: call.account(0) }
  const root = rootOf(scope.eventOf(call, swapEvent))
  return pushHop(call, scope, { ...hop, payee: call.account(4), moves, root })
}

type Hop = {
  pool: number
  vaultIn: number
  vaultOut: number
  user: number
  payee: number
  moves: readonly TokenMove[]
  root: bigint
}

function pushHop(call: Call, scope: TransactionScope, hop: Hop): boolean {
  const { pool, vaultIn, vaultOut, user, payee, moves, root } = hop
  const [tokenIn, tokenOut] = [scope.mintOf(vaultIn), scope.mintOf(vaultOut)]
  if (tokenIn === null || tokenOut === null) return false
  const isIn0 = isKeyBelow(tokenIn, tokenOut)
  const [vault0, vault1] = isIn0 ? [vaultIn, vaultOut] : [vaultOut, vaultIn]
  const accounts = { pool, vault0, vault1 }
  const traded = tradedAmountsIn(moves, accounts, payee)
  if (traded === null) return false
  const state = stateWith(scope, call, accounts, root)
  const tokens = tokensOf(scope, accounts)
  pushSwap(scope, { pool: scope.key(pool), tokens, user, state, ...traded })
  return true
}

function rootOf(event: Buffer | null | undefined): bigint {
  return event && event.length >= swapEventBytes ? readU128(event, 169) : 0n
}

function stateWith(
  scope: TransactionScope,
  call: Call,
  accounts: PoolAccounts,
  root: bigint,
): PoolState {
  return { ...vaultState(scope, call, accounts), priceRaw: priceOfRoot(root) }
}

/**
 * Several pools in one instruction with variable accounts: each pool owns its vaults, and receives
 * and pays in turn. The events of the hops are in the same order.
 */
const decodeRoute: CallDecoder = (call, scope) => {
  const moves = scope.movesIn(call)
  const events = scope.eventsOf(call, swapEvent)
  if (moves.length < 2) return false
  for (let at = 0; at + 1 < moves.length; at += 2) {
    const [paid, got] = [moves[at]!, moves[at + 1]!]
    const pool = scope.transaction.keys.indexOf(scope.ownerOf(paid.to) ?? '')
    if (pool < 0 || scope.ownerOf(got.from) !== scope.key(pool)) return false
    const event = events.find(
      (one) => one.length >= swapEventBytes && readKey(one, 8) === scope.key(pool),
    )
    const hop = { pool, vaultIn: paid.to, vaultOut: got.from, user: call.account(0), payee: got.to }
    if (!pushHop(call, scope, { ...hop, moves: [paid, got], root: rootOf(event) })) return false
  }
  return true
}

const decodeCreate: CallDecoder = (call, scope) => {
  if (call.accounts.length < 7 || call.data.length < 24) return false
  const [pool, token0, token1] = [2, 3, 4].map((nth) => scope.key(call.account(nth))) as [
    ...[string, string, string],
  ]
  const user = call.account(0)
  pushPool(scope, { kind: 'concentrated', program: call.program, pool, token0, token1, user })
  const state = { reserve0: 0n, reserve1: 0n, priceRaw: priceOfRoot(readU128(call.data, 8)) }
  scope.pushBeside({
    type: 'sync',
    wallet: scope.key(user),
    pool,
    tokens: [token0, token1],
    ...state,
    venues: scope.venues,
  })
  return true
}

/** Indexes of the pool and of its first vault in an instruction that adds liquidity. */
const decodeAdd =
  (pool: number, vaults: number): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < vaults + 2) return false
    const accounts = accountsAt(call, pool, vaults)
    const state = stateWith(scope, call, accounts, 0n)
    return pushMovedLiquidity(scope, call, { kind: 'add', accounts, user: call.account(0), state })
  }

/** Withdrawals include the earned fees; without the event all of it counts as withdrawn. */
const decodeDecrease: CallDecoder = (call, scope) => {
  if (call.accounts.length < 11) return false
  const accounts = accountsAt(call, 3, 5)
  const state = stateWith(scope, call, accounts, 0n)
  const user = call.account(0)
  const event = scope.eventOf(call, decreaseEvent)
  if (event === null || event.length < decreaseEventBytes)
    return pushMovedLiquidity(scope, call, { kind: 'remove', accounts, user, state })
  const shared = { pool: scope.key(accounts.pool), tokens: tokensOf(scope, accounts), user, state }
  for (const [kind, at] of [
    ['remove', 56],
    ['collect', 72],
  ] as const) {
    const [amount0, amount1] = [readU64(event, at), readU64(event, at + 8)]
    if (amount0 > 0n || amount1 > 0n) pushLiquidity(scope, { kind, amount0, amount1, ...shared })
  }
  return true
}

function accountsAt(call: Call, pool: number, vaults: number): PoolAccounts {
  return {
    pool: call.account(pool),
    vault0: call.account(vaults),
    vault1: call.account(vaults + 1),
  }
}

/** Raydium's concentrated liquidity. */
export const raydiumClmm: SolanaVenue = {
  name: 'raydiumClmm',
  kind: 'concentrated',
  programs: ['CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'],
  instructions: {
    // swap, swap_v2, swap_router_base_in
    f8c69e91e17587c8: decodeSwap,
    '2b04ed0b1ac91e62': decodeSwap,
    '457d73daf5baf2c4': decodeRoute,
    // create_pool, create_customizable_pool
    e992d18ecf6840bc: decodeCreate,
    '2b44d4a7592fa401': decodeCreate,
    // open_position, open_position_v2, open_position_with_token22_nft
    '87802f4d0f98f031': decodeAdd(5, 12),
    '4db84ad67056f1c7': decodeAdd(5, 12),
    '4dffae527d1dc92e': decodeAdd(4, 11),
    // increase_liquidity, increase_liquidity_v2
    '2e9cf3760dcdfbb2': decodeAdd(2, 9),
    '851d59df45eeb00a': decodeAdd(2, 9),
    // decrease_liquidity, decrease_liquidity_v2
    a026d06f685b2c01: decodeDecrease,
    '3a7fbc3e4f52c460': decodeDecrease,
  },
}

/** Forks that kept its instructions, accounts and events. */
export const pancakeClmm: SolanaVenue = {
  ...raydiumClmm,
  name: 'pancakeClmm',
  programs: ['HpNfyc2Saw7RKkQd8nEL4khUcuPhQ7WwY1B2qjx8jxFq'],
}

export const byreal: SolanaVenue = {
  ...raydiumClmm,
  name: 'byreal',
  programs: ['REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2'],
}
