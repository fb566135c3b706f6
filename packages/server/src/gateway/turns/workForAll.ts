/**
 * Work whose result is the same for all who ask: it is done when somebody asks, once in `cachedMs` at most, and whoever asks
 * meanwhile shares it. A failure is not cached.
 */
export function createWorkForAll<result>(
  work: () => Promise<result>,
  cachedMs: number,
  nowMs: () => number = () => performance.now(),
): () => Promise<result> {
  let done: { atMs: number; result: Promise<result> } | null = null
  return () => {
    const now = nowMs()
    if (done !== null && now - done.atMs < cachedMs && now >= done.atMs) return done.result
    const fresh = { atMs: now, result: work() }
    done = fresh
    fresh.result.catch(() => {
      if (done === fresh) done = null
    })
    return fresh.result
  }
}
