import type { TokenBucket } from '../tokenBucket.ts'

/** Takes tokens and waits until they may be used. False: no longer wanted, and nothing was taken. */
export async function awaitTokens(
  bucket: TokenBucket,
  count: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false
  const waitMs = bucket.take(count, Date.now())
  if (waitMs === 0) return true
  const isUp = await isPassed(waitMs, signal)
  if (!isUp) bucket.giveBack(count, Date.now())
  return isUp
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
