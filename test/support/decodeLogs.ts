import {
  createDecodeCounts,
  type DecodeEvmOptions,
  decodeEvmBlock,
} from '../../packages/server/src/decode/evm/decodeEvmBlock.ts'
import type { EvmBlock } from '../../packages/server/src/model/evm/evmBlock.ts'

/** Decodes whole blocks: some venues combine several logs of one transaction. */
export function decodeLogs(block: EvmBlock, options: DecodeEvmOptions = {}) {
  const counts = createDecodeCounts()
  return { ...decodeEvmBlock(block, { counts, ...options }), counts }
}
