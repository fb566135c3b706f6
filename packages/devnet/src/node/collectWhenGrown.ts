// Checked after so many executions: it takes a few microseconds, a collection about 5 ms.
const measureEveryExecutions = 4

const collectEveryExecutions = 96

// A trace of a small call takes some 100 KB, one of hundreds of calls in one takes tens of MB.
const grownBytesMax = 64 * 2 ** 20

/**
 * To be called for every execution: collects when the process has grown by much since the last time, and now and then anyway.
 */
export function createCollectWhenGrown(
  collectGarbage: () => void,
  heldBytes: () => number = () => process.memoryUsage.rss(),
): () => void {
  let executions = 0
  // Since the last collection: right after it nothing has changed, what it let go of is given back a little later.
  let leastBytes = 0
  return () => {
    executions += 1
    if (executions % measureEveryExecutions !== 0) return
    const bytes = heldBytes()
    leastBytes = Math.min(leastBytes, bytes)
    if (bytes <= leastBytes + grownBytesMax && executions < collectEveryExecutions) return
    collectGarbage()
    executions = 0
    leastBytes = Number.POSITIVE_INFINITY
  }
}
