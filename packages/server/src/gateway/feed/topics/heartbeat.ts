import type { GatewayChain } from '../../chain/gatewayChain.ts'
import type { PushPosition } from '../../chain/recentBlock.ts'
import { heartbeatText } from '../../ground/rowTexts.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { Subscriber } from '../feed.ts'
import { type Push, TextPush } from '../push.ts'

// The feed's ticks come about once a second, never exactly.
const tickSlackMs = 500

type Beat = {
  market: ChainMarket
  periodMs: number
  dueMs: number
  /** Subscribers of the request that the heartbeat is for, each with its number of items. */
  members: Map<Subscriber, number>
}

/** Heartbeat messages: one per request and chain, whatever the number of items. */
export class Heartbeats {
  readonly #bySocket = new Map<object, Map<string, Beat>>()

  add(market: ChainMarket, subscriber: Subscriber): void {
    const { heartbeatS } = subscriber.options
    if (heartbeatS === null) return
    let beats = this.#bySocket.get(subscriber.socket)
    if (beats === undefined) {
      beats = new Map()
      this.#bySocket.set(subscriber.socket, beats)
    }
    const key = `${subscriber.id} ${market.name}`
    let beat = beats.get(key)
    if (beat === undefined) {
      beat = { market, periodMs: heartbeatS * 1_000, dueMs: 0, members: new Map() }
      beats.set(key, beat)
    }
    beat.periodMs = Math.min(beat.periodMs, heartbeatS * 1_000)
    beat.members.set(subscriber, (beat.members.get(subscriber) ?? 0) + 1)
  }

  remove(market: ChainMarket, subscriber: Subscriber): void {
    if (subscriber.options.heartbeatS === null) return
    const key = `${subscriber.id} ${market.name}`
    const beats = this.#bySocket.get(subscriber.socket)
    const beat = beats?.get(key)
    if (beats === undefined || beat === undefined) return
    const count = beat.members.get(subscriber) ?? 0
    if (count > 1) beat.members.set(subscriber, count - 1)
    else beat.members.delete(subscriber)
    if (beat.members.size === 0) beats.delete(key)
    if (beats.size === 0) this.#bySocket.delete(subscriber.socket)
  }

  /** Sends due heartbeats. `replaying`: subscribers that are still being sent what they missed. */
  tick(nowMs: number, replaying: ReadonlyMap<Subscriber, unknown>): void {
    const pushes = new Map<ChainMarket, Push>()
    for (const beats of this.#bySocket.values())
      for (const beat of beats.values()) {
        if (nowMs + tickSlackMs < beat.dueMs) continue
        beat.dueMs = nowMs + beat.periodMs
        const [first] = beat.members.keys()
        const behind = commonMember(beat.members, replaying)
        if (behind !== null) {
          first?.send(heartbeatPush(beat.market, nowMs, positionInReplay(beat.market, behind)))
          continue
        }
        let push = pushes.get(beat.market)
        if (push === undefined) {
          push = heartbeatPush(beat.market, nowMs, beat.market.headPosition())
          pushes.set(beat.market, push)
        }
        first?.send(push)
      }
  }
}

function commonMember(
  members: ReadonlyMap<Subscriber, unknown>,
  others: ReadonlyMap<Subscriber, unknown>,
): Subscriber | null {
  const [few, many] = members.size < others.size ? [members, others] : [others, members]
  for (const one of few.keys()) if (many.has(one)) return one
  return null
}

/**
 * Heartbeat cursor for a subscriber in a replay. With the head's cursor, a client that reconnects
 * now would skip the rest of its replay.
 */
function positionInReplay(market: ChainMarket, { options }: Subscriber): PushPosition {
  return { ...market.headPosition(), cursor: '', cursorBefore: options.since ?? '' }
}

function heartbeatPush(market: ChainMarket, nowMs: number, place: PushPosition): Push {
  return new TextPush({
    result: heartbeatResult(market.chain, nowMs),
    place,
    sentMs: nowMs,
    conflateKey: `heartbeat:${market.name}`,
  })
}

/** Status of a chain, so that a client can distinguish a quiet market from a stalled one. */
function heartbeatResult(chain: GatewayChain, nowMs: number): string {
  const head = chain.reads.head()
  const ageS = head === null ? null : Math.floor(nowMs / 1_000) - head.timeS
  const { state, tipNumber } = chain.status()
  return heartbeatText({
    chain: JSON.stringify(chain.profile.name),
    head_age_s: `${ageS}`,
    head_block: `${head?.number ?? null}`,
    head_time: `${head?.timeS ?? null}`,
    state,
    tip_block: `${tipNumber}`,
  })
}
