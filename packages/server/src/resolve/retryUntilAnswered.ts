import { RpcError } from '../chain/errors.ts'
import { AppError } from '../lib/errors.ts'
import type { Clock } from './clock.ts'
import { ReadUnansweredError } from './errors.ts'

export type RetryOptions = {
  what: string
  clock: Clock
  /** When aborted, stops retrying and throws. */
  signal: AbortSignal
  onFailure: (error: AppError) => void
}

const delayFirstMs = 50
const delayMaxMs = 1_000

/**
 * Repeats a request until it is answered, with growing delays. For facts without which a block
 * cannot be resolved: unreachable nodes are waited for, without a limit.
 */
export async function retryUntilAnswered<answer>(
  ask: () => Promise<answer>,
  { what, clock, signal, onFailure }: RetryOptions,
): Promise<answer> {
  let delayMs = delayFirstMs
  for (let attempts = 1; ; attempts++) {
    try {
      return await ask()
    } catch (cause) {
      if (signal.aborted) throw new ReadUnansweredError({ what, attempts, cause })
      if (!isRetryable(cause)) throw cause
      onFailure(cause)
    }
    await clock.sleep(delayMs, signal)
    delayMs = Math.min(2 * delayMs, delayMaxMs)
  }
}

/**
 * A bug or a damaged store would fail the same way forever. Any error answer of a node is retried:
 * the node may be upgraded or replaced.
 */
function isRetryable(error: unknown): error is AppError {
  return error instanceof AppError && (error.retryable || error instanceof RpcError)
}
