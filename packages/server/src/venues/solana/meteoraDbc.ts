import type { CurveTerms, PoolState } from '../../model/decodedBlock.ts'
import { priceOfRoot, readU64, readU128 } from './decoding/bytes.ts'
import { type Call, dataTagOf } from './decoding/call.ts'
import {
  fullPpm,
  ppmOf,
  pushCurveTrade,
  pushGraduation,
  pushLaunch,
} from './decoding/curveEvents.ts'
import { type PoolAccounts, tradedAmountsIn, vaultState } from './decoding/poolEvents.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

// A swap emits both; the second has the curve's progress. With a transfer hook it has another name.
const swap2Event = 'bd4233a826507599'
const swap2HookEvent = '863ba8785e3372e7'
const swap2EventBytes = 187
const swapEvent = '1b3c15d58aaabb93'
const swapEventBytes = 162
const completeEvent = 'e5e756549c864b18'

/**
 * create_config, create_config2, create_config_with_transfer_hook and its second form create a
 * configuration.
 */
const configTags: ReadonlySet<string> = new Set([
  ...['c9cff3724b6f2fbd', '09ca18cb8fd4fc51', 'd825013958e21929', 'd2f79f1d8e1ed6e3'],
])
// A flag follows the base fee and announces the optional dynamic fee. Nine modes and shares and the
// amount to raise precede the first price.
const dynamicFeeFlagAt = 8 + 27
const dynamicFeeBytes = 32
const beforePriceBytes = 9 + 8

const decodeSwap: CallDecoder = (call, scope) => {
  if (call.accounts.length < 10) return false
  const accounts = { pool: call.account(2), vault0: call.account(5), vault1: call.account(6) }
  const traded = tradedAmountsIn(scope.movesIn(call), accounts, call.account(4))
  if (traded === null) return false
  pushCurveTrade(scope, {
    pool: scope.key(accounts.pool),
    terms: termsOf(call, scope, 7, 8),
    user: call.account(9),
    ...stateAfter(call, scope, accounts),
    ...traded,
  })
  return true
}

type After = { state: PoolState; filledPpm: number | null }

/** The vaults include unclaimed fees. The event has the curve's own quote. */
function stateAfter(call: Call, scope: TransactionScope, accounts: PoolAccounts): After {
  const { reserve0, reserve1 } = vaultState(scope, call, accounts)
  const isComplete = scope.eventOf(call, completeEvent) !== null
  const event = scope.eventOf(call, swap2Event, swap2HookEvent)
  if (event !== null && event.length >= swap2EventBytes) {
    const quote = readU64(event, 163)
    const filledPpm = isComplete ? fullPpm : ppmOf(quote, readU64(event, 171))
    const priceRaw = priceOfRoot(readU128(event, 123))
    return { state: { reserve0, reserve1: quote, priceRaw }, filledPpm }
  }
  const older = scope.eventOf(call, swapEvent)
  const isTold = older !== null && older.length >= swapEventBytes
  const priceRaw = isTold ? priceOfRoot(readU128(older, 106)) : null
  return { state: { reserve0, reserve1, priceRaw }, filledPpm: isComplete ? fullPpm : null }
}

/** `base` and `quote` are the indexes of the mints. */
function termsOf(call: Call, scope: TransactionScope, base: number, quote: number): CurveTerms {
  const [token0, token1] = [scope.key(call.account(base)), scope.key(call.account(quote))]
  return { platform: call.program, token0, token1, venue: meteoraDbc.name }
}

const decodeInitialize: CallDecoder = (call, scope) => {
  if (call.accounts.length < 9) return false
  const [creator, pool] = [scope.key(call.account(2)), scope.key(call.account(5))]
  const terms = termsOf(call, scope, 3, 4)
  const start = startOf(call, scope)
  pushLaunch(scope, { terms, pool, creator, user: call.account(2), start })
  return true
}

/** Null if the configuration, which has the first price, was created in another transaction. */
function startOf(call: Call, scope: TransactionScope): PoolState | null {
  const made = scope.calls.find(
    (other) =>
      other.program === call.program &&
      other.account(0) === call.account(0) &&
      configTags.has(dataTagOf(other, 8)),
  )
  if (made === undefined) return null
  const feeBytes = made.data[dynamicFeeFlagAt] === 0 ? 0 : dynamicFeeBytes
  const at = dynamicFeeFlagAt + 1 + feeBytes + beforePriceBytes
  if (made.data.length < at + 16) return null
  const accounts = { pool: call.account(5), vault0: call.account(6), vault1: call.account(7) }
  return { ...vaultState(scope, call, accounts), priceRaw: priceOfRoot(readU128(made.data, at)) }
}

/** `mints` is the index of the first mint. */
const decodeMigrate =
  (mints: number): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < mints + 2) return false
    const [curve, pool] = [scope.key(call.account(0)), scope.key(call.account(4))]
    const terms = termsOf(call, scope, mints, mints + 1)
    pushGraduation(scope, { curve, pool, terms, user: scope.signerOf(call) })
    return true
  }

/** Meteora's launch curves, used by many platforms. */
export const meteoraDbc: SolanaVenue = {
  name: 'meteoraDbc',
  kind: 'curve',
  programs: ['dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN'],
  instructions: {
    // swap, swap2, swap2_with_transfer_hook
    f8c69e91e17587c8: decodeSwap,
    '414b3f4ceb5b5b88': decodeSwap,
    b75d992818e6c297: decodeSwap,
    // initialize_virtual_pool_with_spl_token, ..._with_token2022, ..._with_token2022_transfer_hook
    '8c55d7b06636684f': decodeInitialize,
    a976334e916edc9b: decodeInitialize,
    b60de9b12a918702: decodeInitialize,
    // The same three with a badge of the quote token: ..._spl_token2, ..._token2022_2,
    // ..._token2022_transfer_hook2
    a2d0681ceb203b31: decodeInitialize,
    b40c1c96a766a29d: decodeInitialize,
    e2af7f0d26833af3: decodeInitialize,
    // migrate_meteora_damm, migration_damm_v2
    '1b013016b43f76d9': decodeMigrate(7),
    '9ca9e66735e45040': decodeMigrate(13),
  },
}
