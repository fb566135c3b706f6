import type { PairState } from '../../engine/marketReads.ts'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { PairNews } from '../../model/pairNews.ts'
import { poolReason, usdReasonMember } from '../usdReason.ts'
import { jsonDecimal } from './jsonText.ts'
import type { PairFacts } from './pairFacts.ts'
import type { ResultMark } from './swapPush.ts'

/** Null `state`: the block was taken back and the pair with it. */
export function newPairResult(
  facts: PairFacts,
  state: PairState | null,
  event: PairNews['event'],
  mark: ResultMark,
): string {
  const { token0, token1 } = facts
  const depth =
    state === null
      ? ''
      : `,"reserve0":"${decimalOfRaw(state.reserve0, token0.decimals)}","reserve1":"${decimalOfRaw(state.reserve1, token1.decimals)}","tvl":${jsonDecimal(state.tvlUsd)}`
  return `{${mark}"event":"${event}","id":${facts.idJson},"pair":{"amm":${facts.ammJson},"chain":${facts.chainJson},"created_at":${facts.createdAtS},"is_trusted":${facts.isTrusted},"pair":${facts.addressJson},"tag":${facts.tagJson},"target_token":${facts.target.addressJson},"token0_address":${token0.addressJson},"token0_decimal":${token0.decimals},"token0_symbol":${token0.symbolJson},"token1_address":${token1.addressJson},"token1_decimal":${token1.decimals},"token1_symbol":${token1.symbolJson}${depth}${usdReasonMember(poolReason(facts.isTrusted))}},"topic":"new_pairs"}`
}
