import type { PairState } from '../../../engine/marketReads.ts'
import { decimalOfRaw } from '../../../lib/decimal.ts'
import type { PairMilestone } from '../../../model/pairMilestones.ts'
import { type PairFacts, pairTokenFields } from '../../chain/pairFacts.ts'
import type { RecentBlock } from '../../chain/recentBlock.ts'
import { newPairsResultText, newPairText } from '../../ground/rowTexts.ts'
import { poolUsdReason } from '../../rows/usdReason.ts'
import { decimalOrZero, unknownMark } from '../../rows/wireNumber.ts'
import { type FindPairFacts, type PairNewsItem, PairNewsTopic } from '../pairNewsTopic.ts'
import { chainParams } from '../params/topicParams.ts'
import type { Topic } from '../topic.ts'
import { markFields, type ResultMark } from '../tradeTexts.ts'

/** Topic `new_pairs`: pairs of a chain that are created or graduate from a bonding curve. */
export const newPairsTopic: Topic = {
  variants: [{ name: 'new_pairs', params: chainParams }],
  open:
    ({ clock }) =>
    (market) =>
      new NewPairsTopic(market, clock),
}

type NewPairNews = PairNewsItem & Pick<PairMilestone, 'event'>

class NewPairsTopic extends PairNewsTopic<NewPairNews> {
  protected newsOf(block: RecentBlock, factsOf: FindPairFacts): NewPairNews[] {
    return block.pairNews().flatMap(({ event, pairId }, index) => {
      const pair = factsOf(pairId)
      return pair === undefined ? [] : [{ event, index, pair }]
    })
  }

  protected storedNewsOf({ event, pairId }: PairMilestone, index: number): NewPairNews {
    return { event, index, pair: this.market.facts.get(pairId) }
  }

  protected resultOf({ event, pair }: NewPairNews, mark: ResultMark): string {
    const { reads } = this.market.chain
    const state = mark === 'retracted' ? null : reads.pairState(pair.pairId)
    return newPairResult(pair, state, event, mark)
  }
}

/** Result object of a `new_pairs` push. `state` is null if the pair was reverted with its block. */
function newPairResult(
  facts: PairFacts,
  state: PairState | null,
  event: PairMilestone['event'],
  mark: ResultMark,
): string {
  const { token0, token1 } = facts
  const known = unknownMark(state === null || state.areReservesKnown)
  const pair = newPairText({
    amm: facts.ammJson,
    chain: facts.chainJson,
    created_at: `${facts.createdAtS}`,
    is_trusted: `${facts.isTrusted}`,
    pair: facts.addressJson,
    tag: facts.tagJson,
    ...pairTokenFields(facts),
    reserve0: state === null ? null : decimalOfRaw(state.reserve0, token0.decimals),
    reserve0_known: known,
    reserve1: state === null ? null : decimalOfRaw(state.reserve1, token1.decimals),
    reserve1_known: known,
    tvl: state === null ? null : decimalOrZero(state.tvlUsd),
    tvl_known: known,
    usd_reason: poolUsdReason(facts.isTrusted),
  })
  const { snapshot, retracted } = markFields(mark)
  return newPairsResultText({ snapshot, retracted, event, id: facts.idJson, pair })
}
