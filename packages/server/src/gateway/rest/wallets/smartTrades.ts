import type { SmartWallets, WalletVolume } from '../../../store/read/smartWallets.ts'
import { type Clock, chainNowS, type GatewayChain } from '../../chain/gatewayChain.ts'
import { awaitStore, type StoreReads } from '../../chain/storeReads.ts'
import { createSharedWork } from '../../ground/sharedWork.ts'
import { quoteIdsOf } from './readPositions.ts'

// Number of best wallets whose trades are read: the others add cost but little information.
const walletsMax = 100
// Maximum number of swaps read per wallet. Wallets with more swaps are bots; their newest swaps are
// enough.
const swapsMax = 1_000
const daySeconds = 86_400
// Minimum time between two reads of the ranked wallets' trades, which take hundreds of index reads.
const sharedMs = 10_000

/** A chain's newest wallet ranking, and the trades of its best wallets. */
export type SmartTrading = { ranking: SmartWallets; volumes: readonly WalletVolume[] }

/**
 * Reads the trades since the ranking's start, or of the last 24 hours. Null until the first ranking
 * exists.
 */
export type SmartTrades = (chain: GatewayChain, period: Period) => Promise<SmartTrading | null>

type Period = 'ranking' | 'day'
type Shared = { madeAtS: number; load(): Promise<WalletVolume[]> }

export function createSmartTrades(store: StoreReads, clock: Clock): SmartTrades {
  /** Running and recent reads of trades, by chain and period. */
  const shared = new Map<string, Shared>()

  function read(chain: GatewayChain, ranking: SmartWallets, period: Period) {
    const fromS = period === 'day' ? chainNowS(chain, clock) - daySeconds : ranking.sinceS
    const wallets = ranking.wallets.slice(0, walletsMax).map(({ wallet }) => wallet)
    const query = { chainId: chain.storeId, wallets, quoteIds: quoteIdsOf(chain), fromS, swapsMax }
    return awaitStore(store.loadWalletVolumes(query))
  }

  return async (chain, period) => {
    const ranking = await awaitStore(store.loadSmartWallets(chain.storeId))
    if (ranking === null) return null
    const key = `${chain.storeId} ${period}`
    const { madeAtS } = ranking
    let reading = shared.get(key)
    if (reading?.madeAtS !== madeAtS) {
      const work = () => read(chain, ranking, period)
      reading = { madeAtS, load: createSharedWork(work, sharedMs, clock.nowMs) }
      shared.set(key, reading)
    }
    return { ranking, volumes: await reading.load() }
  }
}
