import type { MainPairEvent } from '../../model/marketEvent.ts'
import type { EntryScope } from './entryScope.ts'
import type { PairFacts } from './pairFacts.ts'
import { type PushPlace, TextPush } from './textPush.ts'
import { switchResult } from './topics/mainPairSwitch.ts'

/** Tells each kline subscription of the old or the new main pair, once. */
export function publishSwitch(scope: EntryScope, event: MainPairEvent, place: PushPlace): void {
  const { market } = scope
  const old = market.facts.get(event.oldPairId)
  sendSwitch(scope, { tokenId: event.tokenId, old, newPairId: event.newPairId, place })
}

/** The switch was reverted with its block; `left` may be gone with it. */
export function publishSwitchBack(
  scope: EntryScope,
  event: MainPairEvent,
  left: PairFacts,
  place: PushPlace,
): void {
  const { reads } = scope.market.chain
  if (event.tokenId >= reads.tokenCount() || event.oldPairId >= reads.pairCount()) return
  sendSwitch(scope, { tokenId: event.tokenId, old: left, newPairId: event.oldPairId, place })
}

type Switch = { tokenId: number; old: PairFacts; newPairId: number; place: PushPlace }

function sendSwitch({ market }: EntryScope, { tokenId, old, newPairId, place }: Switch): void {
  const { topics, facts, chain, name } = market
  const newFacts = facts.get(newPairId)
  const listening = [topics.find(old.address), topics.find(newFacts.address)].flatMap((of) =>
    (of?.klines ?? []).flatMap((topic) => (topic === null ? [] : [topic.channel])),
  )
  if (listening.length === 0) return
  const { record, launch } = chain.reads.tokenState(tokenId)
  const newState = chain.reads.pairState(newPairId)
  const tag = newState.record.platform ?? launch?.platform ?? ''
  const result = switchResult({
    ...{ token: record.address, oldAddress: old.address, chain: name, newFacts, newState, tag },
  })
  const push = new TextPush({ result, place, sentMs: null, conflateKey: null })
  for (const channel of listening) channel.send(push)
}
