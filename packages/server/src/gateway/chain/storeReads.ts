import type { Store } from '../../store/openStore.ts'
import { RequestError } from '../ground/errors.ts'

/** Store queries used by operations. Each query may fail while the database is down. */
export type StoreReads = Pick<
  Store,
  | 'loadSwaps'
  | 'loadLiquidity'
  | 'loadKlines'
  | 'topHolders'
  | 'loadBalances'
  | 'loadWalletSwaps'
  | 'loadHistoryStart'
  | 'loadPositions'
  | 'loadTokenPositions'
  | 'loadSmartWallets'
  | 'loadWalletVolumes'
>

/** Awaits a store query. Failures become the request error `unavailable`. */
export async function awaitStore<result>(read: Promise<result>): Promise<result> {
  try {
    return await read
  } catch (cause) {
    if (cause instanceof RequestError) throw cause
    const error = new RequestError('unavailable', 'The database does not answer now; try again.')
    error.cause = cause
    throw error
  }
}
