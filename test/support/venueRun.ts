// Contracts of a venue on a test's node, and all stages that process their blocks.
import { expect } from 'vitest'
import type { Call } from '../../packages/devnet/src/contracts/builder.ts'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { SwapEvent } from '../../packages/server/src/model/marketEvent.ts'
import type { DevNode } from './devNode.ts'
import { createMemoryPipeline } from './memoryPipeline.ts'
import { type Receipt, transact } from './simulate.ts'

export type VenueRunOptions = {
  node: DevNode
  profile: ChainProfile & { multicall3: string }
  /** @default the chain's first block */
  startBlock?: number
}

export function openVenueRun({ node, profile, startBlock = 0 }: VenueRunOptions) {
  const engine = createEngine({ profile })
  const pipeline = createMemoryPipeline({ node: { ...node, profile }, startBlock })

  /** Processes the chain up to its head. Returns the swaps of its new blocks. */
  async function follow(): Promise<SwapEvent[]> {
    const from = pipeline.results.length
    await pipeline.follow({ isLive: true })
    const events = pipeline.results
      .slice(from)
      .flatMap(({ block }) => engine.apply({ type: 'commit', block }))
    return events.filter((event): event is SwapEvent => event.type === 'swap')
  }

  return {
    engine,
    pipeline,
    follow,
    /** Mines the calls as one block. Returns its swaps and the receipt of the last call. */
    async play(...calls: Call[]): Promise<{ swaps: SwapEvent[]; receipt: Receipt }> {
      const receipt = await transact(node, ...calls)
      expect(receipt.status).toBe('0x1')
      return { swaps: await follow(), receipt }
    },
  }
}

export const sqrtPriceX96Of = (price1Per0: number) =>
  BigInt(Math.round(Math.sqrt(price1Per0) * 2 ** 96))

/** Raw token1 per raw token0. */
export const priceOfSqrtX96 = (sqrtPriceX96: bigint) => (Number(sqrtPriceX96) / 2 ** 96) ** 2

/** Limits just inside the price range of concentrated pools. */
export const sqrtPriceLimitX96 = (zeroForOne: boolean) =>
  zeroForOne ? 4_295_128_740n : 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n
