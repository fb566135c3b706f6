import type { EvmChainConfig } from '../kinds/evm/evmChainSchema.ts'
import { arc } from './presets/arc.ts'
import { avalanche } from './presets/avalanche.ts'
import { berachain } from './presets/berachain.ts'
import { bsc } from './presets/bsc.ts'
import { eth } from './presets/eth.ts'
import { gnosis } from './presets/gnosis.ts'
import { hyperevm } from './presets/hyperevm.ts'
import { monad } from './presets/monad.ts'
import { polygon } from './presets/polygon.ts'
import { arbitrum } from './presets/rollups/arbitrum.ts'
import { base } from './presets/rollups/base.ts'
import { blast } from './presets/rollups/blast.ts'
import { ink } from './presets/rollups/ink.ts'
import { linea } from './presets/rollups/linea.ts'
import { mantle } from './presets/rollups/mantle.ts'
import { megaeth } from './presets/rollups/megaeth.ts'
import { optimism } from './presets/rollups/optimism.ts'
import { robinhood } from './presets/rollups/robinhood.ts'
import { scroll } from './presets/rollups/scroll.ts'
import { unichain } from './presets/rollups/unichain.ts'
import { world } from './presets/rollups/world.ts'
import { zksync } from './presets/rollups/zksync.ts'
import { solana } from './presets/solana.ts'
import { sonic } from './presets/sonic.ts'

/** Fields of presets of all kinds of chains; only EVM chains have factories. */
export type Preset = Readonly<
  Partial<
    Pick<EvmChainConfig, 'chain_id' | 'native' | 'block_ms' | 'factories' | 'launch_platforms'> &
      Pick<EvmChainConfig, 'kind' | 'stables' | 'quotes'> & {
        /** Other common names of the chain, in small letters with hyphens. */
        aliases: readonly string[]
        /**
         * Date of the last comparison of block time, finality and addresses with the chain's own
         * sources: 2026-11-19.
         */
        checked: string
      }
  >
>

/**
 * Settings of public chains, so that a config only needs RPC addresses. A field of the config
 * replaces the preset's whole field.
 */
export const presets: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  eth,
  bsc,
  base,
  arbitrum,
  optimism,
  polygon,
  avalanche,
  linea,
  scroll,
  blast,
  zksync,
  mantle,
  sonic,
  unichain,
  berachain,
  monad,
  hyperevm,
  gnosis,
  robinhood,
  ink,
  world,
  megaeth,
  arc,
  solana,
}
