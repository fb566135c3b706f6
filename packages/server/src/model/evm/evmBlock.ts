import type { BlockRef } from '../block.ts'

/** A log as the node returned it. Addresses and topics are lower-case hex with 0x. */
export type EvmLog = {
  address: string
  topics: readonly string[]
  /** Hex with 0x. */
  data: string
  logIndex: number
  transactionHash: string
}

/**
 * One EVM block with all that decoding needs: its logs, in order, and the signers of their
 * transactions.
 */
export type EvmBlock = {
  ref: BlockRef
  logs: readonly EvmLog[]
  /** Sender by transaction hash, for transactions with logs. */
  senders: ReadonlyMap<string, string>
  /** Undecoded logs of known contracts, if the block was read whole. @default none */
  unclaimed?: readonly { address: string; topic: string }[]
}
