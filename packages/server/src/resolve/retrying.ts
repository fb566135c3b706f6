import { RpcError } from '../chain/errors.ts'
import { AppError } from '../lib/errors.ts'
import type { Clock } from './clock.ts'
import { ReadUnansweredError } from './errors.ts'

export type RetryOptions = {
  what: string
  clock: Clock
  /** Ends the waiting, with an error. */
  signal: AbortSignal
  onFailure: (error: AppError) => void
}

const delayFirstMs = 50
const delayMaxMs = 1_000

/** Asks until there is an answer: for what cannot be guessed and must not be left out. Who is away is waited for. */
export async function retrying<answer>(
  ask: () => Promise<answer>,
  { what, clock, signal, onFailure }: RetryOptions,
): Promise<answer> {
  let delayMs = delayFirstMs
  for (let attempts = 1; ; attempts++) {
    try {
      return await ask()
    } catch (cause) {
      if (signal.aborted) throw new ReadUnansweredError({ what, attempts, cause })
      if (!isWorthAsking(cause)) throw cause
      onFailure(cause)
    }
    await clock.sleep(delayMs, signal)
    delayMs = Math.min(2 * delayMs, delayMaxMs)
  }
}

/** A bug or a damaged store would answer the same for ever; a node may be upgraded or replaced, whatever it says now. */
function isWorthAsking(error: unknown): error is AppError {
  return error instanceof AppError && (error.retryable || error instanceof RpcError)
}
