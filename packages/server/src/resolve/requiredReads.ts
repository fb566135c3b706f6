import { nodeFaultOf, RpcError } from '../chain/errors.ts'
import { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { NodeFault } from '../model/block.ts'
import type { Clock } from './clock.ts'
import { ReadUnansweredError } from './errors.ts'

const delayFirstMs = 50
const delayMaxMs = 1_000

/** Reads facts without which a block cannot be resolved. */
export class RequiredReads {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #logger: Logger
  /** The unanswered request that the current block waits for, with the last error; or null. */
  waitingFor: NodeFault | null = null

  /** When `signal` is aborted, retries stop and the request fails. */
  constructor(clock: Clock, signal: AbortSignal, logger: Logger) {
    this.#clock = clock
    this.#signal = signal
    this.#logger = logger
  }

  /**
   * Repeats a request until it is answered, with growing delays: unreachable nodes are waited for,
   * without a limit.
   */
  async ask<answer>(what: string, ask: () => Promise<answer>): Promise<answer> {
    let delayMs = delayFirstMs
    for (let attempts = 1; ; attempts++) {
      try {
        const answer = await ask()
        this.waitingFor = null
        return answer
      } catch (cause) {
        if (this.#signal.aborted) throw new ReadUnansweredError({ what, attempts, cause })
        if (!isRetryable(cause)) throw cause
        const { summary, text } = nodeFaultOf(cause)
        this.waitingFor = { summary: `${what}: ${summary}`, text: `${what}: ${text}` }
        this.#logger.warn({ msg: 'Waiting for an answer', what, error: text })
      }
      await this.#clock.sleep(delayMs, this.#signal)
      delayMs = Math.min(2 * delayMs, delayMaxMs)
    }
  }
}

/**
 * A bug or a damaged store would fail the same way forever. Any error answer of a node is retried:
 * the node may be upgraded or replaced.
 */
function isRetryable(error: unknown): error is AppError {
  return error instanceof AppError && (error.retryable || error instanceof RpcError)
}
