import type { HolderSells } from '../riskReport.ts'
import type { PinnedState } from './pinnedState.ts'
import { taxOf } from './simulateTrade.ts'
import {
  holderSellCall,
  type ProbeAccounts,
  type ProbeTrade,
  probeVenue,
  readProbe,
} from './tradeProbe.ts'
import { balanceOfData, transferData, uintOfWord } from './words.ts'

export type HolderSellsOptions = {
  state: PinnedState
  trade: ProbeTrade
  accounts: ProbeAccounts
  gasMax: number
  /** Accounts without code that are neither owner nor creator. */
  holders: readonly string[]
}

/**
 * Known holders sell all they have. A fresh buyer may be let out of a trap that earlier ones are caught in. Null:
 * there is nobody to ask.
 */
export async function readHolderSells(options: HolderSellsOptions): Promise<HolderSells | null> {
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
  // As the holder itself, without code: some tokens let no contract trade.
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
    // Nobody sends to a curve to sell there, so only its own answer counts.
    else if (sends[i]!.type === 'reverted' || trade.venue === probeVenue.launchPad) failed += 1
    else unclear += 1
    if (tax !== null) taxes.push(tax)
  }
  return { tried: sold + failed, sold, failed, unclear, taxes }
}

/** Where a token cannot mind the simulation, who could not sell in it cannot sell. */
export function settleSells(sells: HolderSells | null, mayMind: boolean): HolderSells | null {
  if (sells === null || mayMind) return sells
  const failed = sells.failed + sells.unclear
  return { ...sells, tried: sells.sold + failed, failed, unclear: 0 }
}
