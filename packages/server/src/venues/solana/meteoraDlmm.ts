import type { PoolState } from '../../model/decodedBlock.ts'
import type { LiquidityKind } from '../../model/pool.ts'
import { readKey, readU64 } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import {
  type PoolAccounts,
  pushLiquidity,
  pushPool,
  pushSwap,
  tokensOf,
  tradedAmountsIn,
  vaultState,
} from './decoding/poolEvents.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

// Swap; since 2026 Swap2Evt repeats it.
const swapEvent = '516ce3becdd00ac4'
const swap2Event = '2e7452d7941b544d'
const swapEventBytesMin = 80
const createEvent = 'b94afc7d1bd7bc6f'
const createEventBytes = 106
const rebalancingEvent = '006d75b33d5bc7c8'
const rebalancingEventBytes = 156

/**
 * Events of positions: offsets of both amounts and of the owner's account. ClaimFee2 repeats
 * ClaimFee.
 */
const positionEvents: readonly { tag: string; kind: LiquidityKind; amounts: number }[] = [
  { tag: '1f5e7d5ae3343dba', kind: 'add', amounts: 104 },
  { tag: '74f461e8671f983a', kind: 'remove', amounts: 104 },
  { tag: '4b7a9a308c4a7ba3', kind: 'collect', amounts: 104 },
]

const decodeSwap: CallDecoder = (call, scope) => {
  if (call.accounts.length < 11) return false
  const accounts = { pool: call.account(0), vault0: call.account(2), vault1: call.account(3) }
  const traded = tradedAmountsIn(scope.movesIn(call), accounts, call.account(5))
  if (traded === null) return false
  const tokens = [scope.key(call.account(6)), scope.key(call.account(7))] as const
  const event = scope.eventOf(call, swapEvent, swap2Event)
  const bin = event !== null && event.length >= swapEventBytesMin ? event.readInt32LE(76) : null
  const pool = scope.key(accounts.pool)
  pushSwap(scope, {
    pool,
    tokens,
    user: call.account(10),
    state: stateAt(scope, call, accounts, bin),
    ...traded,
  })
  return true
}

/** The price is the bin's and needs the pool's step, which the pool's record has. */
function stateAt(
  scope: TransactionScope,
  call: Call,
  accounts: PoolAccounts,
  bin: number | null,
): PoolState {
  const { reserve0, reserve1 } = vaultState(scope, call, accounts)
  return { reserve0, reserve1, priceRaw: null, ...(bin !== null && { told: [BigInt(bin)] }) }
}

/** Many instructions add and remove liquidity; all emit the same few events. */
const decodePosition: CallDecoder = (call, scope) => {
  const created = scope.eventOf(call, createEvent)
  if (created !== null && created.length >= createEventBytes) pushCreated(call, scope, created)
  for (const { tag, kind, amounts } of positionEvents)
    for (const event of scope.eventsOf(call, tag)) {
      if (event.length < amounts + 16) return false
      const [amount0, amount1] = [readU64(event, amounts), readU64(event, amounts + 8)]
      pushPosition(call, scope, event, { kind, amount0, amount1 })
    }
  const moved = scope.eventOf(call, rebalancingEvent)
  if (moved === null || moved.length < rebalancingEventBytes) return true
  for (const [kind, x, y] of [
    ['remove', 108, 124],
    ['add', 116, 132],
    ['collect', 140, 148],
  ] as const) {
    const [amount0, amount1] = [readU64(moved, x), readU64(moved, y)]
    pushPosition(call, scope, moved, { kind, amount0, amount1 })
  }
  return true
}

type Moved = { kind: LiquidityKind; amount0: bigint; amount1: bigint }

function pushPosition(call: Call, scope: TransactionScope, event: Buffer, moved: Moved): void {
  if (moved.amount0 === 0n && moved.amount1 === 0n) return
  const pool = readKey(event, 8)
  const accounts = vaultsOf(call, scope, pool)
  const tokens = tokensOf(scope, accounts)
  const state = stateAt(scope, call, accounts, null)
  pushLiquidity(scope, { ...moved, pool, tokens, user: scope.signerOf(call), state })
}

/**
 * Most instructions name both vaults at the same indexes; the pool owns them. Otherwise the vaults
 * are unknown.
 */
function vaultsOf(call: Call, scope: TransactionScope, pool: string): PoolAccounts {
  const [vault0, vault1] = [call.account(5), call.account(6)]
  const isNamed = scope.ownerOf(vault0) === pool && scope.ownerOf(vault1) === pool
  return { pool: call.account(1), ...(isNamed ? { vault0, vault1 } : { vault0: -1, vault1: -1 }) }
}

function pushCreated(call: Call, scope: TransactionScope, event: Buffer): void {
  const [pool, token0, token1] = [readKey(event, 8), readKey(event, 42), readKey(event, 74)]
  const params = [BigInt(event.readUInt16LE(40))]
  const user = scope.signerOf(call)
  const { program } = call
  pushPool(scope, { kind: 'concentrated', program, pool, token0, token1, user, params })
}

/** Meteora's pools of bins, each with a price of its own. */
export const meteoraDlmm: SolanaVenue = {
  name: 'meteoraDlmm',
  kind: 'concentrated',
  programs: ['LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo'],
  instructions: {
    // swap, swap2, swap_exact_out, swap_exact_out2, swap_with_price_impact, swap_with_price_impact2
    f8c69e91e17587c8: decodeSwap,
    '414b3f4ceb5b5b88': decodeSwap,
    fa49652126cf4bb8: decodeSwap,
    '2bd7f784893cf351': decodeSwap,
    '38ade6d0ade49ccd': decodeSwap,
    '4a62c0d6b1334b33': decodeSwap,
  },
  otherwise: decodePosition,
  priceAfter: ({ told: [bin], params: [binStep] }) =>
    bin === undefined || binStep === undefined
      ? null
      : (1 + Number(binStep) / 10_000) ** Number(bin),
}
