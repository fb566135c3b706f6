import type { Store } from '../../store/openStore.ts'
import { RequestError } from '../errors.ts'

/** What operations read of the store; each may fail while the database is down. */
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

/** An answer of the store, or the error that says that it does not answer now. */
export async function fromStore<result>(read: Promise<result>): Promise<result> {
  try {
    return await read
  } catch (cause) {
    if (cause instanceof RequestError) throw cause
    const error = new RequestError('unavailable', 'The database does not answer now; ask again.')
    error.cause = cause
    throw error
  }
}
