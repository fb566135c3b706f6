import type { BlockRef } from '../block.ts'

/** A log as the node gave it. Addresses and topics are lower-case hex with 0x. */
export type EvmLog = {
  address: string
  topics: readonly string[]
  /** Hex with 0x. */
  data: string
  logIndex: number
  transactionHash: string
}

/** One EVM block with all that decoding needs: its logs, in order, and who signed what. */
export type EvmBlock = {
  ref: BlockRef
  logs: readonly EvmLog[]
  /** Transaction hash to its sender, for the transactions that have logs. */
  senders: ReadonlyMap<string, string>
  /** Logs of known contracts that nothing reads, where the block was read whole. @default none */
  unclaimed?: readonly { address: string; topic: string }[]
}
