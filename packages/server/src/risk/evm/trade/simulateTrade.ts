import { strict as assert } from 'node:assert'
import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { ChainProfile } from '../../../model/chainProfile.ts'
import type { TradeFacts } from '../../riskReport.ts'
import type { RiskPool } from '../../riskSubject.ts'
import { balanceOfData, transferData, uintOfWord } from '../words.ts'
import type { BalanceLayout } from './balanceSlot.ts'
import type { PinnedState, StateOverrides } from './pinnedState.ts'
import {
  buyAndSellCall,
  isProbed,
  type ProbeAccounts,
  type ProbeReport,
  type ProbeStep,
  type ProbeTrade,
  probeVenue,
  readProbe,
  reasonText,
} from './tradeProbe.ts'

type SimulateOptions = {
  state: PinnedState
  profile: ChainProfile
  token: string
  pool: RiskPool
  accounts: ProbeAccounts
  gasMax: number
  layoutOf(quote: string): Promise<BalanceLayout | null>
}

/** `error` says why `facts` is null; empty otherwise. */
export type Simulated = { facts: TradeFacts | null; error: string }

const curveAbi = parseAbi([
  'function curves(address token) view returns (uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth, bool isOpen)',
])

// Pairs of unknown fee take this or less. Paying too much is harmless: the excess stays in the
// pair.
const pairFeePpmDefault = 3_000

// Parts of the reserve, in the order tried: small enough for trade limits, then large enough for
// tokens of few units, then tiny.
const shares: readonly bigint[] = [1_000n, 100n, 100_000n]
// On a curve, in raw native units, and never more than this part of its remaining supply.
const curveSpendRaw = 10n ** 16n
const curvePart = 8n

export function tradeOf(profile: ChainProfile, token: string, pool: RiskPool): ProbeTrade {
  const { kind, venue, quote } = pool
  assert(isProbed(venue), 'only pools that can be tried are')
  return {
    venue: probeVenue[venue],
    pool: kind === 'curve' || kind === 'vault' ? pool.factory : pool.address,
    token,
    quote: quote.address,
    isNative:
      quote.address === profile.native.wrappedToken && quote.address !== profile.native.coin,
    feePpm: pool.feePpm ?? pairFeePpmDefault,
    key: kind === 'vault' ? pool.params : [],
  }
}

/**
 * Simulates a buy, a transfer and a sale of the token through one pool. The chain stays unchanged.
 */
export async function simulateTrade(options: SimulateOptions): Promise<Simulated> {
  const { state, profile, token, pool, accounts, gasMax } = options
  const trade = tradeOf(profile, token, pool)
  const isPaidInCoin =
    trade.isNative || pool.kind === 'curve' || trade.quote === profile.native.coin
  const layout = isPaidInCoin ? null : await options.layoutOf(trade.quote)
  if (!isPaidInCoin && layout === null)
    return { facts: null, error: 'the quote token cannot be borrowed' }
  const amounts = await readAmounts(options, trade)
  if (amounts.length === 0) return { facts: null, error: 'the pool is empty or closed' }
  const calls = amounts.map((amount) => {
    const funding = fundingOf(trade, layout, accounts.buyer, amount)
    return buyAndSellCall({ trade, accounts, gas: gasMax }, amount, funding)
  })
  const answers = await state.call(calls)
  const reports = answers
    .map((answer) => readProbe(answer, 'run'))
    .filter((report) => report !== null)
  const best =
    reports.find(({ sell, soldAll }) => sell.ok && soldAll) ??
    reports.find(({ sell }) => sell.ok) ??
    reports.find(({ buy }) => buy.ok) ??
    reports[0]
  if (best === undefined) return { facts: null, error: 'the node cannot simulate' }
  if (!best.buy.ok && (await canReceive(options, trade)))
    return { facts: null, error: 'the token refuses contracts, or the pool has no liquidity' }
  return { facts: factsOf(best), error: '' }
}

// Part of the pool's tokens; below any limit on a trade.
const receivedPart = 100_000n

/** Can the pool send the token to an account without code? If not, a failed buy proves nothing. */
async function canReceive(
  { state, token, accounts }: SimulateOptions,
  trade: ProbeTrade,
): Promise<boolean> {
  const [held] = await state.call([{ to: token, data: balanceOfData(trade.pool) }])
  const amount = held?.type === 'answered' ? (uintOfWord(held.data) ?? 0n) : 0n
  const data = transferData(accounts.friend, amount / receivedPart + 1n)
  const [answer] = await state.call([{ from: trade.pool, to: token, data }])
  return answer?.type === 'answered'
}

async function readAmounts(
  { state, token, pool }: SimulateOptions,
  trade: ProbeTrade,
): Promise<bigint[]> {
  if (pool.kind === 'curve') {
    const spend = await readCurveSpend(state, trade.pool, token)
    return spend === 0n ? [] : [spend]
  }
  const reserve = await readReserve(state, pool, trade)
  return shares.map((share) => reserve / share).filter((amount) => amount > 0n)
}

/**
 * Reserve of the quote. A manager's balance belongs to all its pools, so the market's own figure is
 * used.
 */
async function readReserve(
  state: PinnedState,
  pool: RiskPool,
  { quote, pool: holder }: ProbeTrade,
): Promise<bigint> {
  if (pool.kind === 'vault') return pool.quoteReserveRaw
  const [answer] = await state.call([{ to: quote, data: balanceOfData(holder) }])
  return answer?.type === 'answered' ? (uintOfWord(answer.data) ?? 0n) : 0n
}

/** Zero if the curve is closed. A buy must not fill the curve: then nobody could sell to it. */
async function readCurveSpend(state: PinnedState, curve: string, token: string): Promise<bigint> {
  const args = [token as Hex] as const
  const data = encodeFunctionData({ abi: curveAbi, functionName: 'curves', args })
  const [answer] = await state.call([{ to: curve, data }])
  if (answer?.type !== 'answered') return 0n
  try {
    const [virtualToken, virtualEth, realToken, , isOpen] = decodeFunctionResult({
      abi: curveAbi,
      functionName: 'curves',
      data: answer.data as Hex,
    })
    if (!isOpen || virtualToken <= realToken) return 0n
    const left = (virtualEth * realToken) / (virtualToken - realToken)
    const most = left / curvePart
    return most < curveSpendRaw ? most : curveSpendRaw
  } catch {
    return 0n
  }
}

function fundingOf(
  trade: ProbeTrade,
  layout: BalanceLayout | null,
  buyer: string,
  amount: bigint,
): StateOverrides {
  if (layout === null) return {}
  const value = `0x${amount.toString(16).padStart(64, '0')}`
  return { [trade.quote]: { stateDiff: { [layout(buyer)]: value } } }
}

function factsOf({ buy, move, approve, sell, soldAll }: ProbeReport): TradeFacts {
  const wasMoved = buy.ok && move.gasUsed > 0n
  const refused = !buy.ok ? buy : !sell.ok ? sell : move
  return {
    canBuy: buy.ok,
    canSell: sell.ok,
    canSellAll: sell.ok ? soldAll : null,
    buyTax: taxOf(buy),
    sellTax: taxOf(sell),
    transferTax: taxOf(move),
    canTransfer: wasMoved ? move.ok : null,
    buyFeeUnits: buy.ok ? Number(buy.gasUsed) : null,
    sellFeeUnits: sell.ok ? Number(sell.gasUsed) : null,
    approveFeeUnits: approve.ok ? Number(approve.gasUsed) : null,
    reason: refused.ok ? '' : reasonText(refused.reason),
  }
}

const ppb = 1_000_000_000n

/** The part that did not arrive, rounded to a millionth; null if nothing was sent. */
export function taxOf({ ok, sent, arrived }: ProbeStep): number | null {
  if (!ok || sent === 0n) return null
  if (arrived >= sent) return 0
  return Math.round(Number(((sent - arrived) * ppb) / sent) / 1_000) / 1_000_000
}
