import type { MarketProfile, Recomputed } from '../market.ts'
import { MarketBuilder } from '../marketBuilder.ts'
import { createBalances } from './balances.ts'
import { createPools } from './pools.ts'
import type { Chain } from './readChain.ts'

/** Recomputes the market of an EVM chain from its logs only. */
export function recomputeEvm({ blocks, decimals }: Chain, profile: MarketProfile): Recomputed {
  const balances = createBalances(profile.native.wrappedToken)
  const pools = createPools(profile, balances)
  const builder = new MarketBuilder(profile, decimals)
  for (const { number, timeS, logs } of blocks) {
    for (const log of logs) {
      balances.take(log)
      const swap = pools.take(log, number)
      const { logIndex, txHash, sender: wallet } = log
      const origin = { blockNumber: number, timeS, logIndex, txHash, wallet }
      if (swap) builder.addTrade(swap, origin, balances)
    }
    pools.updateReserves()
    builder.endBlock(pools.all(), { number, timeS })
  }
  return builder.finish(blocks.at(-1)!, balances)
}
