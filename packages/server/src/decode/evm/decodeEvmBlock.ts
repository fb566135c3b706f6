import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import { type AddressTexts, createAddressTexts } from './addressTexts.ts'
import { BlockScope, type DecodeCounts } from './blockScope.ts'
import { type CurveIds, createCurveIds } from './curveIds.ts'
import { decoderOfTopic0 } from './registry.ts'

/** Topic0 of every event we decode; logs with another are not needed. */
export const evmTopics0: readonly string[] = [...decoderOfTopic0.keys()]

export type DecodeEvmOptions = {
  /** Counted up with what this block had. */
  counts?: DecodeCounts | undefined
  /** Keeps the ids of launch curves from block to block; without it they are hashed anew in each. */
  curveIds?: CurveIds | undefined
  /** Keeps the texts of addresses from block to block; without it they are made anew in each. */
  addresses?: AddressTexts | undefined
  /** Contracts whose Deposit and Withdrawal mint and burn, as WETH9's do. @default any contract */
  wrappedTokens?: ReadonlySet<string> | undefined
}

export function createDecodeCounts(): DecodeCounts {
  return { strange: 0, unknownSenders: 0 }
}

/** A block's logs in the words of markets. Whatever a contract put into a log, this returns. */
export function decodeEvmBlock(block: EvmBlock, options: DecodeEvmOptions = {}): DecodedBlock {
  const {
    counts = createDecodeCounts(),
    curveIds = createCurveIds(),
    addresses = createAddressTexts(),
    wrappedTokens = null,
  } = options
  const scope = new BlockScope(block, { counts, curveIds, addresses, wrappedTokens })

  for (const log of block.logs) {
    const topic0 = log.topics[0]
    if (topic0 === undefined) continue
    const decode = decoderOfTopic0.get(topic0)
    if (decode === undefined) continue
    scope.enter(log)
    try {
      if (!addresses.isAddress(log.address) || !decode(log, scope)) counts.strange++
    } catch (error) {
      // A word that is not hex; only a broken node sends it.
      if (!(error instanceof SyntaxError)) throw error
      counts.strange++
    }
  }
  return { ref: block.ref, events: scope.events() }
}
