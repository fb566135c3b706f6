import { setTimeout as delay } from 'node:timers/promises'
import { nodeFaultOf, RpcError } from '../chain/errors.ts'
import type { IntakeOptions } from './chainKind.ts'

// Delays between attempts while no node answers; each attempt is logged.
const delayMsMin = 1_000
const delayMsMax = 15_000

/**
 * Returns the first block to index. A stored chain keeps its own start, unless the configured one
 * is earlier. For a new chain, `ask` is retried until a node answers.
 */
export async function findStartNumber(
  { setup: { startBlock }, known, firstNumber, onWaiting, logger, signal }: IntakeOptions,
  ask: () => Promise<number>,
): Promise<number> {
  const isStored = known.length > 0 && firstNumber !== null
  if (isStored) return startBlock === 'latest' ? firstNumber : Math.min(startBlock, firstNumber)
  for (let delayMs = delayMsMin; ; delayMs = Math.min(2 * delayMs, delayMsMax)) {
    try {
      return await ask()
    } catch (error) {
      if (signal.aborted || !(error instanceof RpcError)) throw error
      onWaiting?.(nodeFaultOf(error))
      logger.warn({ msg: 'Waiting for a node', error: error.message, delayMs })
    }
    await delay(delayMs, undefined, { signal }).catch(() => undefined)
  }
}
