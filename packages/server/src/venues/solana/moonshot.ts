import type { CurveTerms, PoolState } from '../../model/decodedBlock.ts'
import { endOfText, ratioOf, readKey, readU64 } from './decoding/bytes.ts'
import type { Call } from './decoding/call.ts'
import { pushCurveTrade, pushGraduation, pushLaunch } from './decoding/curveEvents.ts'
import { flowOf } from './decoding/poolEvents.ts'
import { lamportsSentBy, wrappedSol } from './decoding/tokenMoves.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

const tradeEvent = 'bddb7fd34ee661ee'
const tradeEventBytesMin = 145

const constantProduct = 1
// A curve sells tokens of this supply and starts with these virtual reserves.
const supply = 10n ** 18n
const virtualTokens = 1_073_000_000n * 10n ** 9n
const virtualLamports = 30n * 10n ** 9n

const decodeTrade =
  (isBuy: boolean): CallDecoder =>
  (call, scope) => {
    if (call.accounts.length < 8) return false
    const flow = flowOf(scope.movesIn(call), call.account(3), isBuy ? call.account(1) : -1)
    const tokens = isBuy ? flow.out : flow.into
    const paid = paidIn(call, scope, isBuy)
    if (tokens === 0n || paid === null) return false
    pushCurveTrade(scope, {
      pool: scope.key(call.account(2)),
      terms: termsOf(call, scope.key(call.account(6)), paid.token),
      user: call.account(0),
      amount0: isBuy ? -tokens : tokens,
      amount1: isBuy ? paid.amount : -paid.amount,
      // Only the curve's account has its own numbers. The ratio of the amounts is the closest
      // figure to a price.
      state: {
        reserve0: scope.balanceAfter(call.account(3), call),
        reserve1: null,
        priceRaw: ratioOf(paid.amount, tokens),
      },
      filledPpm: null,
    })
    return true
  }

/** Lamports into the curve or out of it; null if unknown. */
function paidIn(call: Call, scope: TransactionScope, isBuy: boolean) {
  const event = scope.eventOf(call, tradeEvent)
  if (event !== null && event.length >= tradeEventBytesMin)
    return { token: readKey(event, 80), amount: readU64(event, 16) }
  const amount = isBuy ? lamportsSent(call, scope) : lamportsTaken(call, scope)
  return amount <= 0n ? null : { token: wrappedSol, amount }
}

function lamportsSent(call: Call, scope: TransactionScope): bigint {
  let amount = 0n
  for (const inner of scope.calls.slice(call.index + 1, call.end)) {
    const sent = lamportsSentBy(inner)
    if (sent?.to === call.account(2)) amount += sent.amount
  }
  return amount
}

/**
 * Lamports that a program takes from its own account leave no instruction. If the curve traded only
 * once in the transaction, they are the decrease of its balance; otherwise 0n.
 */
function lamportsTaken(call: Call, scope: TransactionScope): bigint {
  const curve = call.account(2)
  const others = scope.calls.filter(
    ({ program, accounts }) => program === call.program && accounts[2] === curve,
  )
  const { lamportsBefore, lamportsAfter } = scope.transaction
  const [before, after] = [lamportsBefore[curve], lamportsAfter[curve]]
  if (others.length > 1 || before === undefined || after === undefined) return 0n
  return BigInt(before) - BigInt(after)
}

function termsOf(call: Call, token0: string, token1: string): CurveTerms {
  return { platform: call.program, token0, token1, venue: moonshot.name }
}

const decodeMint: CallDecoder = (call, scope) => {
  if (call.accounts.length < 7) return false
  const [creator, pool, mint] = [0, 2, 3].map((nth) => scope.key(call.account(nth))) as [
    ...[string, string, string],
  ]
  pushLaunch(scope, {
    terms: termsOf(call, mint, wrappedSol),
    pool,
    creator,
    user: call.account(0),
    start: startOf(call.data),
  })
  return true
}

/** Null for curves of other kinds: no transaction reports their start. */
function startOf(data: Buffer): PoolState | null {
  // Decimals, currency, supply and kind follow name, symbol and URI.
  const at = endOfText(data, endOfText(data, endOfText(data, 8))) + 2
  if (at + 9 > data.length || readU64(data, at) !== supply) return null
  if (data[at + 8] !== constantProduct) return null
  return { reserve0: supply, reserve1: null, priceRaw: ratioOf(virtualLamports, virtualTokens) }
}

/**
 * The authority that receives the funds creates the pool in a later transaction. Until then the
 * curve is given as the pool.
 */
const decodeMigrate: CallDecoder = (call, scope) => {
  if (call.accounts.length < 6) return false
  const [curve, mint] = [scope.key(call.account(2)), scope.key(call.account(5))]
  const terms = termsOf(call, mint, wrappedSol)
  pushGraduation(scope, { curve, pool: curve, terms, user: scope.signerOf(call) })
  return true
}

/** Moonshot's launch curves. */
export const moonshot: SolanaVenue = {
  name: 'moonshot',
  kind: 'curve',
  programs: ['MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG'],
  instructions: {
    // buy, sell
    '66063d1201daebea': decodeTrade(true),
    '33e685a4017f83ad': decodeTrade(false),
    // token_mint, migrate_funds
    '032ca4b87b0df5b3': decodeMint,
    '2ae50ae7bd3ec1ae': decodeMigrate,
  },
}
