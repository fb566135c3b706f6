import type { CurveTerms, PoolState } from '../../model/decodedBlock.ts'
import { endOfText, ratioOf, readU64 } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import {
  fullPpm,
  ppmOf,
  pushCurveTrade,
  pushGraduation,
  pushLaunch,
} from './decoding/curveEvents.ts'
import { tradedAmountsIn, vaultState } from './decoding/poolEvents.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

const tradeEvent = 'bddb7fd34ee661ee'
const createEvent = '97d7e20976a173ae'
const tradeEventBytesMin = 138
// In 2026 a new fee field moved the fields behind it.
const tradeEventBytes = 147
const statusMigrate = 1

const decodeTrade =
  (isBuy: boolean): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < 11) return false
    const accounts = { pool: call.account(4), vault0: call.account(7), vault1: call.account(8) }
    const traded = tradedAmountsIn(scope.movesIn(call), accounts, call.account(isBuy ? 5 : 6))
    if (traded === null) return false
    const told = scope.eventOf(call, tradeEvent)
    const event = told !== null && told.length >= tradeEventBytesMin ? told : null
    const vaults = vaultState(scope, call, accounts)
    pushCurveTrade(scope, {
      pool: scope.key(accounts.pool),
      terms: termsOf(call, scope, 9, 10),
      user: call.account(0),
      state: event === null ? { ...vaults, priceRaw: null } : stateOf(event, vaults),
      filledPpm: event && filledPpmOf(event),
      ...traded,
    })
    return true
  }

/**
 * The sold amount counts from 0. The remaining virtual base and all of the quote make the price.
 */
function stateOf(event: Buffer, { reserve0 }: PoolState): PoolState {
  const base = readU64(event, 48) - readU64(event, 80)
  const realQuote = readU64(event, 88)
  return { reserve0, reserve1: realQuote, priceRaw: ratioOf(readU64(event, 56) + realQuote, base) }
}

function filledPpmOf(event: Buffer): number {
  const status = event[event.length >= tradeEventBytes ? 145 : 137]
  return status === statusMigrate ? fullPpm : ppmOf(readU64(event, 80), readU64(event, 40))
}

/** `base` and `quote` are the indexes of the mints. */
function termsOf(call: Call, scope: TransactionScope, base: number, quote: number): CurveTerms {
  const [token0, token1] = [scope.key(call.account(base)), scope.key(call.account(quote))]
  return { platform: call.program, token0, token1, venue: raydiumLaunchLab.name }
}

const decodeInitialize: CallDecoder = (call, scope) => {
  if (call.accounts.length < 10) return false
  const [creator, pool] = [scope.key(call.account(1)), scope.key(call.account(5))]
  const event = scope.eventOf(call, createEvent)
  const start = event && startOf(event)
  const terms = termsOf(call, scope, 6, 7)
  pushLaunch(scope, { terms, pool, creator, user: call.account(0), start })
  return true
}

const constantProduct = 0
const fixedPrice = 1
const curveAt = 105

/**
 * The first price follows from the amount for sale, the amount to raise and the rest for the pool,
 * which opens at the curve's last price. Linear curves start at 0, which is no price.
 */
function startOf(event: Buffer): PoolState | null {
  // Name, symbol and URI.
  const at = endOfText(event, endOfText(event, endOfText(event, curveAt)))
  const kind = event[at]
  const isProduct = kind === constantProduct
  const numbers = isProduct ? 3 : 2
  const lockedAt = at + 1 + numbers * 8 + 1
  if ((!isProduct && kind !== fixedPrice) || lockedAt + 8 > event.length) return null
  const supply = readU64(event, at + 1)
  const raised = readU64(event, at + 1 + (numbers - 1) * 8)
  const unlocked = supply - readU64(event, lockedAt)
  const sold = isProduct ? readU64(event, at + 9) : unlocked / 2n
  const priceRaw = isProduct
    ? ratioOf(raised * (unlocked - sold), sold * sold)
    : ratioOf(raised, sold)
  return { reserve0: supply, reserve1: 0n, priceRaw }
}

const decodeMigrate =
  (at: { pool: number; curve: number }): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length <= at.curve) return false
    const [curve, pool] = [scope.key(call.account(at.curve)), scope.key(call.account(at.pool))]
    pushGraduation(scope, { curve, pool, terms: termsOf(call, scope, 1, 2), user: call.account(0) })
    return true
  }

/** Raydium's launch curves, used by many platforms. */
export const raydiumLaunchLab: SolanaVenue = {
  name: 'raydiumLaunchLab',
  kind: 'curve',
  programs: ['LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj'],
  instructions: {
    // buy_exact_in, buy_exact_out, sell_exact_in, sell_exact_out
    faea0d7bd59c13ec: decodeTrade(true),
    '18d3742869039938': decodeTrade(true),
    '9527de9bd37c981a': decodeTrade(false),
    '5fc8472208090ba6': decodeTrade(false),
    // initialize, initialize_v2, initialize_with_token_2022
    afaf6d1f0d989bed: decodeInitialize,
    '4399af27da102620': decodeInitialize,
    '25be7ede2c9aab11': decodeInitialize,
    // migrate_to_amm, migrate_to_cpswap
    cf52c091fecf91df: decodeMigrate({ pool: 13, curve: 23 }),
    '885cc8671cda908c': decodeMigrate({ pool: 5, curve: 17 }),
  },
}
