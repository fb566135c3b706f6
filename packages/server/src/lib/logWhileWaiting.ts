import type { Logger } from './logger.ts'

// Time between two log lines: short enough for a person who waits, long enough for a log.
const noticeEveryMs = 4_000

/** Waits for work that should be quick, and logs repeatedly while it is not done. */
export async function logWhileWaiting<result>(
  work: Promise<result>,
  {
    logger,
    waitsFor,
    everyMs = noticeEveryMs,
  }: { logger: Logger; waitsFor: string | (() => string); everyMs?: number },
): Promise<result> {
  const startMs = performance.now()
  const timer = setInterval(() => {
    const waitedS = Math.floor((performance.now() - startMs) / 1_000)
    const what = typeof waitsFor === 'string' ? waitsFor : waitsFor()
    logger.warn({ msg: 'Still waiting', waitsFor: what, waitedS })
  }, everyMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
