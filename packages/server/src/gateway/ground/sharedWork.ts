/**
 * Creates a function whose result all callers share. The work runs on demand, at most once in
 * `cachedMs`; callers meanwhile share its result. A failure is not cached.
 */
export function createSharedWork<result>(
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
