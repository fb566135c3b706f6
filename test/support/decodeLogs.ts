import {
  createDecodeCounts,
  type DecodeEvmOptions,
  decodeEvmBlock,
} from '../../packages/server/src/decode/evm/decodeEvmBlock.ts'
import type { EvmBlock } from '../../packages/server/src/model/evm/evmBlock.ts'

/** Venues are tried with whole blocks: logs of one transaction mean something only together. */
export function decodeLogs(block: EvmBlock, options: DecodeEvmOptions = {}) {
  const counts = createDecodeCounts()
  return { ...decodeEvmBlock(block, { counts, ...options }), counts }
}
