import { erc20Decoders } from './erc20.ts'
import { launchPadDecoders } from './launchPad.ts'
import type { LogDecoder, LogDecoders } from './logDecoder.ts'
import { uniswapV2Decoders } from './uniswapV2.ts'
import { uniswapV3Decoders } from './uniswapV3.ts'

/** Every family we decode. A new DEX is a file beside this one and a line here. */
const families: readonly LogDecoders[] = [
  erc20Decoders,
  uniswapV2Decoders,
  uniswapV3Decoders,
  launchPadDecoders,
]

export const decoderOfTopic0: ReadonlyMap<string, LogDecoder> = new Map(
  families.flatMap((family) => Object.entries(family)),
)
