/** Events per second over the last seconds. */
export type RateMeter = {
  add(count: number, nowMs: number): void
  perS(nowMs: number): number
}

// Long enough to be steady over slow ranges, short enough to follow a change.
const windowMs = 10_000
const slotMs = 500

export function createRateMeter(): RateMeter {
  /** Oldest first, at most windowMs / slotMs + 1 of them. */
  let slots: { startMs: number; count: number }[] = []
  let startedAtMs: number | null = null
  return {
    add(count, nowMs) {
      startedAtMs ??= nowMs
      const slot = slots.at(-1)
      if (slot !== undefined && nowMs - slot.startMs < slotMs) slot.count += count
      else {
        slots = slots.filter(({ startMs }) => nowMs - startMs < windowMs)
        slots.push({ startMs: nowMs, count })
      }
    },
    perS(nowMs) {
      if (startedAtMs === null) return 0
      let count = 0
      for (const slot of slots) if (nowMs - slot.startMs < windowMs) count += slot.count
      const spanMs = Math.min(windowMs, Math.max(slotMs, nowMs - startedAtMs))
      return (count * 1_000) / spanMs
    },
  }
}
