import type { ChainProfile } from '../../../model/chainProfile.ts'
import type { HolderSells, TradeFacts } from '../../riskReport.ts'
import type { RiskPool, RiskSubject } from '../../riskSubject.ts'
import type { EvmCheckLimits } from '../evmCheckLimits.ts'
import { balanceOfData, transferData, uintOfWord } from '../words.ts'
import type { BalanceLayout } from './balanceSlot.ts'
import type { PinnedState } from './pinnedState.ts'
import { simulateTrade, taxOf, tradeOf } from './simulateTrade.ts'
import {
  holderSellCall,
  isProbed,
  type ProbeAccounts,
  type ProbeTrade,
  probeAccounts,
  probeVenue,
  readProbe,
} from './tradeProbe.ts'

type TradingQuery = {
  profile: ChainProfile
  limits: EvmCheckLimits
  subject: RiskSubject
  state: PinnedState
  owner: string | null
  creator: string | null
  layoutOf(quote: string, owner: string): Promise<BalanceLayout | null>
}

export type Trading = {
  trade: TradeFacts | null
  holderSells: HolderSells | null
  tradeError: string
}

/**
 * Simulates a trade through the first trusted pool that allows it, preferring one that lets an
 * account buy.
 */
export async function readTrading(query: TradingQuery): Promise<Trading> {
  const { profile, limits, subject, state } = query
  const accounts = probeAccounts(subject.address, subject.block.hash)
  const trusted = subject.pools.filter(
    ({ isTrusted, liquidityUsd }, i) => isTrusted && (i === 0 || liquidityUsd > 0),
  )
  const pools = trusted.filter(({ venue }) => isProbed(venue)).slice(0, limits.poolsMax)
  let best: { pool: RiskPool; trade: TradeFacts | null; error: string } | null = null
  for (const pool of pools) {
    const simulated = await simulateTrade({
      state,
      profile,
      token: subject.address,
      pool,
      accounts,
      gasMax: limits.tradeGasMax,
      layoutOf: (quote) => query.layoutOf(quote, accounts.buyer),
    })
    const result = { pool, trade: simulated.facts, error: simulated.error }
    if (best === null || (best.trade === null && result.trade !== null)) best = result
    if (!result.trade?.canBuy) continue
    best = result
    break
  }
  if (best === null) {
    const tradeError =
      trusted.length === 0 ? 'there is no trusted pool' : 'no trusted pool can be tried'
    return { trade: null, holderSells: null, tradeError }
  }
  const trade = tradeOf(profile, subject.address, best.pool)
  const holders = sellersOf(query)
  const gasMax = limits.tradeGasMax
  const holderSells = await readHolderSells({ state, trade, accounts, gasMax, holders })
  return { trade: best.trade, holderSells, tradeError: best.error }
}

function sellersOf({ subject, owner, creator, limits }: TradingQuery): string[] {
  return subject.holders
    .filter(({ kind, address }) => kind === 'wallet' && address !== owner && address !== creator)
    .slice(0, limits.sellersMax)
    .map(({ address }) => address)
}

type HolderSellsOptions = {
  state: PinnedState
  trade: ProbeTrade
  accounts: ProbeAccounts
  gasMax: number
  /** Accounts without code that are neither owner nor creator. */
  holders: readonly string[]
}

/**
 * Known holders sell all they have: a trap may spare a fresh buyer and catch earlier ones. Null if
 * there are no holders to try.
 */
async function readHolderSells(options: HolderSellsOptions): Promise<HolderSells | null> {
  const { state, trade, accounts, gasMax, holders } = options
  const { token } = trade
  const held = await state.call(
    holders.map((holder) => ({ to: token, data: balanceOfData(holder) })),
  )
  const sellers = holders.flatMap((holder, i) => {
    const answer = held[i]!
    const amount = answer.type === 'answered' ? (uintOfWord(answer.data) ?? 0n) : 0n
    return amount > 0n ? [{ holder, amount }] : []
  })
  if (sellers.length === 0) return null
  const sales = await state.call(
    sellers.map(({ holder }) => holderSellCall({ trade, accounts, gas: gasMax }, holder)),
  )
  // Sent from the holder's own account: some tokens refuse contracts.
  const sends = await state.call(
    sellers.map(({ holder, amount }) => {
      return { from: holder, to: token, data: transferData(trade.pool, amount) }
    }),
  )
  let sold = 0
  let failed = 0
  let unclear = 0
  const taxes: number[] = []
  for (const [i, sale] of sales.entries()) {
    const report = readProbe(sale, 'runSell')
    if (report === null) continue
    const tax = taxOf(report.sell)
    if (report.sell.ok) sold += 1
    // Holders do not transfer to a curve in order to sell, so only the curve's answer counts.
    else if (sends[i]!.type === 'reverted' || trade.venue === probeVenue.launchPad) failed += 1
    else unclear += 1
    if (tax !== null) taxes.push(tax)
  }
  return { tried: sold + failed, sold, failed, unclear, taxes }
}

/** If the token cannot detect the simulation, an unclear sale is a failed one. */
export function countUnclearAsFailed(
  sells: HolderSells | null,
  mayMind: boolean,
): HolderSells | null {
  if (sells === null || mayMind) return sells
  const failed = sells.failed + sells.unclear
  return { ...sells, tried: sells.sold + failed, failed, unclear: 0 }
}
