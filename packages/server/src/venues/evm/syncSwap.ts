import { solidly } from './solidly.ts'
import { uniswapV2 } from './uniswap/uniswapV2.ts'
import type { EvmVenue } from './venue.ts'

const swapTopic = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const syncTopic = '0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a'

/**
 * SyncSwap: a vault holds the tokens of all pools, so no transfer names a pool. Its pools emit the
 * Swap of Uniswap V2, then the Sync of Solidly; Solidly's pools emit the Sync first. Its pools get
 * no pairs: stable pools would need a price formula of their own.
 */
export const syncSwap: EvmVenue = {
  name: 'syncSwap',
  kind: 'constantProduct',
  events: {
    // Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address
    // indexed to)
    [swapTopic]: uniswapV2.events[swapTopic]!,
    // Sync(uint256 reserve0, uint256 reserve1)
    [syncTopic]: solidly.events[syncTopic]!,
  },
}
