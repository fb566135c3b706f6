import { setTimeout as delay } from 'node:timers/promises'
import type { BalanceReader } from '../ledger/balanceReader.ts'
import type { Logger } from '../lib/logger.ts'
import type { RecordReader } from '../resolve/recordReader.ts'
import { databaseFault } from '../store/databaseFault.ts'
import type { Store } from '../store/openStore.ts'

export type PatientReadsOptions = {
  store: Pick<Store, 'findPairs' | 'listPairs' | 'findTokens' | 'loadBalances' | 'loadSupplies'>
  chainId: number
  logger: Logger
  signal: AbortSignal
}

const delayMsMin = 50
const delayMsMax = 1_000

/** What a chain's thread reads of the store. A database that is away is waited for: the chain pauses, it does not end. */
export function createPatientReads(options: PatientReadsOptions): RecordReader & BalanceReader {
  const { store, chainId, logger, signal } = options

  async function patiently<answer>(read: () => Promise<answer>): Promise<answer> {
    for (let delayMs = delayMsMin; ; delayMs = Math.min(2 * delayMs, delayMsMax)) {
      try {
        return await read()
      } catch (error) {
        const fault = databaseFault(error, 'stored records')
        if (signal.aborted || !fault.retryable) throw fault
        logger.warn({ msg: 'Waiting for the database', error: fault.message, delayMs })
      }
      await delay(delayMs, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    findPairs: (addresses) => patiently(() => store.findPairs(chainId, addresses)),
    listPairs: (list) => patiently(() => store.listPairs(chainId, list)),
    findTokens: (addresses) => patiently(() => store.findTokens(chainId, addresses)),
    loadBalances: (keys) => patiently(() => store.loadBalances(chainId, keys)),
    loadSupplies: (tokenIds) => patiently(() => store.loadSupplies(chainId, tokenIds)),
  }
}
