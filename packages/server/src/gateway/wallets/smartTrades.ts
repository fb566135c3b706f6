import type { SmartWallets } from '../../store/read/wallets/smartWallets.ts'
import type { WalletVolume } from '../../store/read/wallets/walletVolumes.ts'
import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import { fromStore, type StoreReads } from '../history/storeReads.ts'
import { createWorkForAll } from '../turns/workForAll.ts'
import { quoteIdsOf } from './readPositions.ts'

// The best of a ranking: what the others do says little, and costs as much.
const walletsMax = 100
// Whoever has more is a bot, of which the newest tell enough.
const swapsMax = 1_000
const daySeconds = 86_400
// What costs hundreds of index reads is made so often at most.
const sharedMs = 10_000

/** The newest ranking of a chain, and what its best wallets traded. */
export type SmartTrading = { ranking: SmartWallets; volumes: readonly WalletVolume[] }

/** Since the ranking begins, or in the last 24 hours. Null: there is no ranking yet. */
export type SmartTrades = (chain: GatewayChain, period: Period) => Promise<SmartTrading | null>

type Period = 'ranking' | 'day'
type Shared = { madeAtS: number; load(): Promise<WalletVolume[]> }

export function createSmartTrades(store: StoreReads, clock: Clock): SmartTrades {
  /** By chain and period. */
  const shared = new Map<string, Shared>()

  function read(chain: GatewayChain, ranking: SmartWallets, period: Period) {
    const fromS = period === 'day' ? nowSOf(chain, clock) - daySeconds : ranking.sinceS
    const wallets = ranking.wallets.slice(0, walletsMax).map(({ wallet }) => wallet)
    const query = { chainId: chain.storeId, wallets, quoteIds: quoteIdsOf(chain), fromS, swapsMax }
    return fromStore(store.loadWalletVolumes(query))
  }

  return async (chain, period) => {
    const ranking = await fromStore(store.loadSmartWallets(chain.storeId))
    if (ranking === null) return null
    const key = `${chain.storeId} ${period}`
    const { madeAtS } = ranking
    let reading = shared.get(key)
    if (reading?.madeAtS !== madeAtS) {
      const work = () => read(chain, ranking, period)
      reading = { madeAtS, load: createWorkForAll(work, sharedMs, clock.nowMs) }
      shared.set(key, reading)
    }
    return { ranking, volumes: await reading.load() }
  }
}
