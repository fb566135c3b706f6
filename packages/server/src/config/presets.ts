import { arbitrum } from './presets/arbitrum.ts'
import { avalanche } from './presets/avalanche.ts'
import { base } from './presets/base.ts'
import { bsc } from './presets/bsc.ts'
import { eth } from './presets/eth.ts'
import { optimism } from './presets/optimism.ts'
import { polygon } from './presets/polygon.ts'
import { solana } from './presets/solana.ts'

/**
 * What is known of public chains, so that a config needs only RPC addresses. A field given in the
 * config replaces the preset's whole field.
 */
export const presets: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  eth,
  bsc,
  base,
  arbitrum,
  optimism,
  polygon,
  avalanche,
  solana,
}
