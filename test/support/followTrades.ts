// The items that a client stream delivered, minus the retracted ones.
import { expect } from 'vitest'
import type { Stream, Tape } from '../../packages/client/src/index.ts'

export type FollowedTrade = { id: string; cursor: string | null; retracted?: true }

export type FollowedTrades = {
  items: FollowedTrade[]
  /** Longest time between two items. */
  silenceMs(): number
}

/** Adds delivered items and removes retracted ones, which must be the newest. */
export function followTrades<item extends FollowedTrade>(
  tape: Tape,
  stream: Stream<item>,
): FollowedTrades {
  const items: FollowedTrade[] = []
  let silenceMs = 0
  let lastMs = performance.now()
  void stream.each((item) => {
    silenceMs = Math.max(silenceMs, performance.now() - lastMs)
    lastMs = performance.now()
    if (item.retracted) expect(items.pop()?.id).toBe(item.id)
    else items.push(item)
  })
  tape.on((event) => {
    if (event.type !== 'rewound' || event.stream !== stream.name) return
    while (items.length > 0 && isBehind(items.at(-1)!.cursor!, event.cursor)) items.pop()
  })
  return { items, silenceMs: () => silenceMs }
}

function isBehind(cursor: string, place: string): boolean {
  const [[block, , index], [placeBlock, , placeIndex]] = [cursor, place].map((text) =>
    text.split('-').map(Number),
  ) as [number[], number[]]
  return block! > placeBlock! || (block === placeBlock && index! > placeIndex!)
}
