import { type PairState, type WindowTrading, windowsS } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent } from '../rest/wireNumber.ts'

const dayWindow = windowsS.length - 1

/** A pair and its last 24 hours, read once for all pushes of a block. */
export type PairDay = {
  state: PairState
  window: WindowTrading
  /** Distinct wallets. Few pushes have them, and counting them takes long. */
  makers(): number
  /** Of the target token. */
  priceUsd: number | null
  /** Percent since 00:00 UTC. */
  changeToday: number
}

export function readPairDay({ reads }: GatewayChain, pairId: number, nowS: number): PairDay {
  const state = reads.pairState(pairId)
  const window = reads.pairTrading(pairId, dayWindow, nowS)
  const makers = () => reads.pairWindow(pairId, dayWindow, nowS).makers
  const is0Target = state.targetTokenId === state.record.token0Id
  const priceUsd = is0Target ? state.price0Usd : state.price1Usd
  const changeToday = changePercent(reads.pairDayOpenUsd(pairId, nowS), priceUsd)
  return { state, window, makers, priceUsd, changeToday }
}
