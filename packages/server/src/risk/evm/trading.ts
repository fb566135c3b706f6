import type { ChainProfile } from '../../model/chainProfile.ts'
import type { HolderSells, TradeFacts } from '../riskReport.ts'
import type { RiskPool, RiskSubject } from '../riskSubject.ts'
import type { BalanceLayout } from './balanceSlot.ts'
import type { EvmCheckLimits } from './evmCheckLimits.ts'
import { readHolderSells } from './holderSells.ts'
import type { PinnedState } from './pinnedState.ts'
import { simulateTrade, tradeOf } from './simulateTrade.ts'
import { isProbed, probeAccounts } from './tradeProbe.ts'

export type TradingQuery = {
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

/** Through the first trusted pool that lets a trade be simulated, and best through one that lets somebody buy. */
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
      ...{ state, profile, token: subject.address, pool, accounts, gasMax: limits.tradeGasMax },
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
