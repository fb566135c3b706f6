import type { PairState } from '../../../engine/marketReads.ts'
import { decimalOfRaw } from '../../../lib/decimal.ts'
import type { PairNews } from '../../../model/pairNews.ts'
import { decimalOrZero } from '../../rest/wireNumber.ts'
import { newPairsResultText, newPairText } from '../../rowTexts.ts'
import { poolReason } from '../../usdReason.ts'
import { marksOf, type ResultMark } from '../jsonText.ts'
import type { PairFacts } from '../pairFacts.ts'

/** Null `state`: the block was reverted and the pair with it. */
export function newPairResult(
  facts: PairFacts,
  state: PairState | null,
  event: PairNews['event'],
  mark: ResultMark,
): string {
  const { token0, token1 } = facts
  const pair = newPairText({
    amm: facts.ammJson,
    chain: facts.chainJson,
    created_at: `${facts.createdAtS}`,
    is_trusted: `${facts.isTrusted}`,
    pair: facts.addressJson,
    tag: facts.tagJson,
    target_token: facts.target.addressJson,
    token0_address: token0.addressJson,
    token0_decimal: `${token0.decimals}`,
    token0_symbol: token0.symbolJson,
    token1_address: token1.addressJson,
    token1_decimal: `${token1.decimals}`,
    token1_symbol: token1.symbolJson,
    reserve0: state === null ? null : decimalOfRaw(state.reserve0, token0.decimals),
    reserve1: state === null ? null : decimalOfRaw(state.reserve1, token1.decimals),
    tvl: state === null ? null : decimalOrZero(state.tvlUsd),
    usd_reason: poolReason(facts.isTrusted),
  })
  const { snapshot, retracted } = marksOf(mark)
  return newPairsResultText({ snapshot, retracted, event, id: facts.idJson, pair })
}
