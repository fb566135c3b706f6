import type { PairState } from '../../../engine/marketReads.ts'
import { decimalOfRaw } from '../../../lib/decimal.ts'
import { type PairFacts, pairTokenFields } from '../../chain/pairFacts.ts'
import type { PushPosition } from '../../chain/recentBlock.ts'
import { mainPairSwitchText, mainPairText, switchResultText } from '../../ground/rowTexts.ts'
import { decimalOrZero, unknownMark } from '../../rows/wireNumber.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { type Push, TextPush } from '../push.ts'

export type MainPairSwitch = { tokenId: number; old: PairFacts; newPairId: number }

/**
 * Push about a token's new main pair. It belongs to no topic: kline subscribers of the old and the
 * new pair get it.
 */
export function mainPairSwitchPush(
  { chain, facts, name }: ChainMarket,
  { tokenId, old, newPairId }: MainPairSwitch,
  place: PushPosition,
): Push {
  const { record, launch } = chain.reads.tokenState(tokenId)
  const newState = chain.reads.pairState(newPairId)
  const result = mainPairSwitchResult({
    token: record.address,
    oldAddress: old.address,
    chain: name,
    newFacts: facts.get(newPairId),
    newState,
    tag: newState.record.platform ?? launch?.platform ?? '',
  })
  return new TextPush({ result, place, sentMs: null, conflateKey: null })
}

type SwitchParts = {
  token: string
  oldAddress: string
  chain: string
  newFacts: PairFacts
  newState: PairState
  /** Launch platform of the token, or an empty text. */
  tag: string
}

export function mainPairSwitchResult(parts: SwitchParts): string {
  const { newFacts: facts, newState: state, oldAddress } = parts
  const { token0, token1 } = facts
  const tag = JSON.stringify(parts.tag)
  const known = unknownMark(state.areReservesKnown)
  const data = mainPairText({
    amm: facts.ammJson,
    chain: facts.chainJson,
    init_reserve0: decimalOfRaw(state.initReserve0, token0.decimals),
    init_reserve0_known: known,
    init_reserve1: decimalOfRaw(state.initReserve1, token1.decimals),
    init_reserve1_known: known,
    pair: facts.addressJson,
    reserve0: decimalOfRaw(state.reserve0, token0.decimals),
    reserve0_known: known,
    reserve1: decimalOfRaw(state.reserve1, token1.decimals),
    reserve1_known: known,
    tag,
    ...pairTokenFields(facts),
    tvl: decimalOrZero(state.tvlUsd),
    tvl_known: known,
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
