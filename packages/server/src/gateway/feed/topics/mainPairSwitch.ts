import type { PairState } from '../../../engine/marketReads.ts'
import { decimalOfRaw } from '../../../lib/decimal.ts'
import { decimalOrZero } from '../../rest/wireNumber.ts'
import { mainPairSwitchText, mainPairText, switchResultText } from '../../rowTexts.ts'
import type { PairFacts } from '../pairFacts.ts'

export type SwitchParts = {
  token: string
  oldAddress: string
  chain: string
  newFacts: PairFacts
  newState: PairState
  /** Launch platform of the token, or empty. */
  tag: string
}

/** The main pair of a token is another one: to those who follow the klines of either. */
export function switchResult(parts: SwitchParts): string {
  const { newFacts: facts, newState: state, oldAddress } = parts
  const { token0, token1 } = facts
  const tag = JSON.stringify(parts.tag)
  const data = mainPairText({
    amm: facts.ammJson,
    chain: facts.chainJson,
    init_reserve0: decimalOfRaw(state.initReserve0, token0.decimals),
    init_reserve1: decimalOfRaw(state.initReserve1, token1.decimals),
    pair: facts.addressJson,
    reserve0: decimalOfRaw(state.reserve0, token0.decimals),
    reserve1: decimalOfRaw(state.reserve1, token1.decimals),
    tag,
    target_token: facts.target.addressJson,
    token0_address: token0.addressJson,
    token0_decimal: `${token0.decimals}`,
    token0_symbol: token0.symbolJson,
    token1_address: token1.addressJson,
    token1_decimal: `${token1.decimals}`,
    token1_symbol: token1.symbolJson,
    tvl: decimalOrZero(state.tvlUsd),
  })
  const news = mainPairSwitchText({
    chain: facts.chainJson,
    id: JSON.stringify(`${oldAddress}-${parts.chain}`),
    new_main_pair: facts.addressJson,
    new_main_pair_data: data,
    old_main_pair: JSON.stringify(oldAddress),
    tag,
    token: JSON.stringify(parts.token),
  })
  return switchResultText({ data: news })
}
