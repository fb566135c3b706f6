import type { ChainMarket } from './chainMarket.ts'
import type { Subscriber } from './feed.ts'
import { heartbeatResult } from './heartbeatPush.ts'
import type { Push } from './push.ts'
import { TextPush } from './textPush.ts'

// Ticks come once a second, never exactly.
const tickSlackMs = 500

type Beat = {
  market: ChainMarket
  periodMs: number
  dueMs: number
  /** With the number of items each stands for. */
  members: Map<Subscriber, number>
}

/** Liveness messages: one per request and chain, whatever the number of its items. */
export class Heartbeats {
  private readonly bySocket = new Map<object, Map<string, Beat>>()

  add(market: ChainMarket, subscriber: Subscriber): void {
    const { heartbeatS } = subscriber.options
    if (heartbeatS === null) return
    let beats = this.bySocket.get(subscriber.socket)
    if (beats === undefined) {
      beats = new Map()
      this.bySocket.set(subscriber.socket, beats)
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
    const beats = this.bySocket.get(subscriber.socket)
    const beat = beats?.get(key)
    if (beats === undefined || beat === undefined) return
    const count = beat.members.get(subscriber) ?? 0
    if (count > 1) beat.members.set(subscriber, count - 1)
    else beat.members.delete(subscriber)
    if (beat.members.size === 0) beats.delete(key)
    if (beats.size === 0) this.bySocket.delete(subscriber.socket)
  }

  tick(nowMs: number): void {
    const pushes = new Map<ChainMarket, Push>()
    for (const beats of this.bySocket.values())
      for (const beat of beats.values()) {
        if (nowMs + tickSlackMs < beat.dueMs) continue
        beat.dueMs = nowMs + beat.periodMs
        let push = pushes.get(beat.market)
        if (push === undefined) {
          push = heartbeatPush(beat.market, nowMs)
          pushes.set(beat.market, push)
        }
        beat.members.keys().next().value?.send(push)
      }
  }
}

function heartbeatPush(market: ChainMarket, nowMs: number): Push {
  return new TextPush({
    result: heartbeatResult(market.chain, nowMs),
    place: market.headPlace(),
    sentMs: nowMs,
    conflateKey: `heartbeat:${market.name}`,
  })
}
