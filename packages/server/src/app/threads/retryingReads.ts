import { setTimeout as delay } from 'node:timers/promises'
import type { BalanceReader } from '../../ledger/balanceLoader.ts'
import type { Logger } from '../../lib/logger.ts'
import type { RecordReader } from '../../resolve/records/recordCache.ts'
import { databaseFault } from '../../store/errors.ts'
import type { Store } from '../../store/openStore.ts'

export type RetryContext = { logger: Logger; signal: AbortSignal }

const delayMsMin = 50
const delayMsMax = 1_000

/**
 * Retries a database read until it succeeds. Throws on abort, and on errors that a retry cannot
 * fix.
 */
export async function retryStoreCall<answer>(
  { logger, signal }: RetryContext,
  ask: () => Promise<answer>,
): Promise<answer> {
  for (let delayMs = delayMsMin; ; delayMs = Math.min(2 * delayMs, delayMsMax)) {
    try {
      return await ask()
    } catch (error) {
      const fault = databaseFault(error, 'stored records')
      if (signal.aborted || !fault.retryable) throw fault
      logger.warn({ msg: 'Waiting for the database', error: fault.message, delayMs })
    }
    await delay(delayMs, undefined, { signal }).catch(() => undefined)
  }
}

export type RetryingReadsOptions = RetryContext & {
  store: Pick<
    Store,
    'findPairs' | 'findCouples' | 'listPairs' | 'findTokens' | 'loadBalances' | 'loadSupplies'
  >
  chainId: number
}

/**
 * Store reads of a chain's worker. If the database is unavailable the chain pauses instead of
 * failing.
 */
export function createRetryingReads(options: RetryingReadsOptions): RecordReader & BalanceReader {
  const { store, chainId } = options
  return {
    findPairs: (addresses) => retryStoreCall(options, () => store.findPairs(chainId, addresses)),
    findCouples: (pools) => retryStoreCall(options, () => store.findCouples(chainId, pools)),
    listPairs: (list) => retryStoreCall(options, () => store.listPairs(chainId, list)),
    findTokens: (addresses) => retryStoreCall(options, () => store.findTokens(chainId, addresses)),
    loadBalances: (keys) => retryStoreCall(options, () => store.loadBalances(chainId, keys)),
    loadSupplies: (tokenIds) =>
      retryStoreCall(options, () => store.loadSupplies(chainId, tokenIds)),
  }
}
