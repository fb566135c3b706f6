import { type Interval, pushInterval } from '@chaintape/protocol'
import {
  endedKlineColumn as column,
  endedKlineColumns,
  readKlineRow,
} from '../../model/endedKlines.ts'
import { type Kline, klineIntervalNames } from '../../model/kline.ts'
import type { EndedKlinesEvent } from '../../model/marketEvent.ts'
import type { KlineTopic } from './chainTopics.ts'
import type { EntryScope } from './entryScope.ts'
import type { Push } from './push.ts'
import { type PushPlace, TextPush } from './textPush.ts'
import { type KlineMark, klineResult } from './topics/kline.ts'

// Corrected klines whose count is remembered: a reorg spans few of them.
const revisionsMax = 64

export type KlineToPush = { pairId: number; interval: number; kline: Kline }

/** A kline of a pair; the newest of each bucket replaces those before it. */
export function klinePush(
  scope: EntryScope,
  { pairId, interval, kline }: KlineToPush,
  place: PushPlace,
  mark: KlineMark | null,
): Push {
  const facts = scope.market.facts.get(pairId)
  const name: Interval = klineIntervalNames[interval]!
  const dayFields = scope.klineFields(pairId)
  return new TextPush({
    result: klineResult({ facts, interval: pushInterval(name), kline, dayFields, mark }),
    place,
    sentMs: scope.sentMs,
    conflateKey: `kline:${facts.address}-${scope.market.name}:${name}:${kline.startS}`,
  })
}

/** Pushes the open klines of a pair as the entry left them. */
export function publishOpenKlines(
  scope: EntryScope,
  pairId: number,
  place: PushPlace,
  isRevert: boolean,
): void {
  const { klines } = scope.market.topics.pair(pairId) ?? {}
  if (!klines) return
  klines.forEach((topic, interval) => {
    if (topic === null) return
    const kline = scope.openKline(pairId, interval)
    if (isRevert) revise(scope, topic, { pairId, interval, place, now: kline })
    if (kline === null) return
    topic.last = kline
    send(scope, topic, { pairId, interval, kline }, place, false)
  })
}

/** Klines have ended: those who asked for revisions are told so. */
export function publishEndedKlines(
  scope: EntryScope,
  { count, rows }: EndedKlinesEvent,
  place: PushPlace,
): void {
  for (let at = 0; at < count * endedKlineColumns; at += endedKlineColumns) {
    const pairId = rows[at + column.pairId]!
    const interval = rows[at + column.interval]!
    const topic = scope.market.topics.pair(pairId)?.klines?.[interval]
    if (topic?.channel.hasRevisions !== true) continue
    const kline = readKlineRow(rows, at)
    const revision = topic.revisions.get(kline.startS) ?? 0
    const mark = { revision, isFinal: true }
    topic.channel.sendRevision(klinePush(scope, { pairId, interval, kline }, place, mark))
  }
}

function send(
  scope: EntryScope,
  topic: KlineTopic,
  kline: KlineToPush,
  place: PushPlace,
  isFinal: boolean,
): void {
  const { channel } = topic
  if (channel.hasPlain) channel.sendPlain(klinePush(scope, kline, place, null))
  if (!channel.hasRevisions) return
  const revision = topic.revisions.get(kline.kline.startS) ?? 0
  channel.sendRevision(klinePush(scope, kline, place, { revision, isFinal }))
}

type Revision = { pairId: number; interval: number; place: PushPlace; now: Kline | null }

/** A block is gone: what it said of the kline is corrected, and a kline that it opened never was. */
function revise(scope: EntryScope, topic: KlineTopic, revision: Revision): void {
  const { last } = topic
  const { pairId, interval, place, now } = revision
  if (last === null) return
  const count = addRevision(topic, last.startS)
  if (now !== null && now.startS >= last.startS) return
  topic.last = now
  const mark = { revision: count, isFinal: false, isRetracted: true }
  topic.channel.sendRevision(klinePush(scope, { pairId, interval, kline: last }, place, mark))
}

function addRevision({ revisions }: KlineTopic, startS: number): number {
  const count = (revisions.get(startS) ?? 0) + 1
  revisions.set(startS, count)
  if (revisions.size > revisionsMax) revisions.delete(revisions.keys().next().value!)
  return count
}

/** A block is gone that had ended klines: they are open again. Call it before what the block traded is revised. */
export function reopenKlines(scope: EntryScope, { count, rows }: EndedKlinesEvent): Reopened[] {
  const reopened: Reopened[] = []
  for (let at = 0; at < count * endedKlineColumns; at += endedKlineColumns) {
    const pairId = rows[at + column.pairId]!
    const interval = rows[at + column.interval]!
    const topic = scope.market.topics.pair(pairId)?.klines?.[interval]
    if (topic?.channel.hasRevisions !== true) continue
    addRevision(topic, rows[at + column.startS]!)
    reopened.push({ topic, pairId, interval })
  }
  return reopened
}

export type Reopened = { topic: KlineTopic; pairId: number; interval: number }

/** Those of pairs that the block did not trade; of the others it has been said already. */
export function publishReopened(scope: EntryScope, reopened: Reopened, place: PushPlace): void {
  const { topic, pairId, interval } = reopened
  const kline = scope.openKline(pairId, interval)
  if (kline === null) return
  topic.last = kline
  const mark = { revision: topic.revisions.get(kline.startS) ?? 0, isFinal: false }
  topic.channel.sendRevision(klinePush(scope, { pairId, interval, kline }, place, mark))
}
