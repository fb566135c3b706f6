import type { LiquidityEvent, SwapEvent } from '../../model/marketEvent.ts'
import type { RecentBlock } from '../recent/recentBlock.ts'
import type { OrphanBlock } from '../recent/recentBlocks.ts'
import type { Channel } from './channel.ts'
import type { EntryScope } from './entryScope.ts'
import type { PairFacts } from './pairFacts.ts'
import { SwapPushes, tradePush } from './tradePush.ts'

export function publishSwap(scope: EntryScope, block: RecentBlock, event: SwapEvent): void {
  const { topics, facts } = scope.market
  const { pairId } = event.swap
  const tx = topics.pair(pairId)?.tx ?? null
  const multi = topics.hasTokens ? tokenChannels(scope, facts.get(pairId)) : noChannels
  if (tx === null && multi.length === 0) return
  const pushes = new SwapPushes({
    ...{ facts: facts.get(pairId), event, mark: '', sentMs: scope.sentMs },
    ...{ blockNumber: block.ref.number, timeS: block.ref.timeS },
    place: block.place(event.swap.index),
  })
  const repeat = block.repeats?.get(event)
  if (tx !== null) tx.deliver(pushes.ofPair(), repeat)
  for (const channel of multi) channel.deliver(pushes.ofToken(), repeat)
}

export function publishLiquidity(
  scope: EntryScope,
  block: RecentBlock,
  event: LiquidityEvent,
): void {
  const { topics, facts } = scope.market
  const { pairId, index } = event.liquidity
  const channel = topics.pair(pairId)?.liq ?? null
  if (channel === null) return
  const push = tradePush('liq', {
    ...{ facts: facts.get(pairId), event, mark: '', sentMs: scope.sentMs },
    ...{ blockNumber: block.ref.number, timeS: block.ref.timeS, place: block.place(index) },
  })
  channel.deliver(push, block.repeats?.get(event))
}

/** Tells those who asked for it what a block had said, newest first. */
export function retractTrades(scope: EntryScope, { block, facts }: OrphanBlock): void {
  const { topics } = scope.market
  for (const event of block.events.toReversed()) {
    if (event.type !== 'swap' && event.type !== 'liquidity') continue
    const { pairId, index } = event.type === 'swap' ? event.swap : event.liquidity
    const pair = facts.get(pairId)
    if (pair === undefined) continue
    const ofPair = topics.find(pair.address)
    const trade = {
      ...{ facts: pair, mark: 'retracted' as const, sentMs: scope.sentMs },
      ...{ blockNumber: block.ref.number, timeS: block.ref.timeS },
      place: block.retractedPlace(index),
    }
    if (event.type === 'liquidity') {
      if (ofPair?.liq?.hasRevisions) ofPair.liq.sendRevision(tradePush('liq', { ...trade, event }))
      continue
    }
    const pushes = new SwapPushes({ ...trade, event })
    if (ofPair?.tx?.hasRevisions) ofPair.tx.sendRevision(pushes.ofPair())
    for (const { address } of [pair.token0, pair.token1]) {
      const multi = topics.find(address)?.multiTx
      if (multi?.hasRevisions) multi.sendRevision(pushes.ofToken())
    }
  }
}

const noChannels: readonly Channel[] = []

function tokenChannels({ market: { topics } }: EntryScope, facts: PairFacts): readonly Channel[] {
  const of0 = topics.token(facts.token0.id)?.multiTx ?? null
  const of1 = topics.token(facts.token1.id)?.multiTx ?? null
  if (of0 === null) return of1 === null ? noChannels : [of1]
  return of1 === null ? [of0] : [of0, of1]
}
