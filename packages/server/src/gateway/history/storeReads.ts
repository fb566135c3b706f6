import type { Store } from '../../store/openStore.ts'

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
>
