import type { TokenBucket } from '../tokenBucket.ts'

// Others go first for so long: where they take all there is, work in the background still comes to its end.
const yieldMsMax = 5_000

/** Takes tokens and waits until they may be used. False: no longer wanted, and nothing was taken. */
export async function awaitTokens(
  bucket: TokenBucket,
  { count, isBackground }: { count: number; isBackground: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  if (isBackground && !(await untilFree(bucket, count, signal))) return false
  if (signal.aborted) return false
  const waitMs = bucket.take(count, Date.now())
  if (waitMs === 0) return true
  const isUp = await isPassed(waitMs, signal)
  if (!isUp) bucket.giveBack(count, Date.now())
  return isUp
}

/** Without a place in the line: whoever comes meanwhile is served first. */
async function untilFree(
  bucket: TokenBucket,
  count: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (let yieldedMs = 0; yieldedMs < yieldMsMax; ) {
    const waitMs = bucket.waitMs(count, Date.now())
    if (waitMs === 0) return true
    if (!(await isPassed(waitMs, signal))) return false
    yieldedMs += waitMs
  }
  return true
}

function isPassed(waitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const onAbort = () => end(false)
    const timer = setTimeout(() => end(true), waitMs)
    function end(isUp: boolean): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(isUp)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
