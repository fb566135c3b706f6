import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'

export type Commitment = 'processed' | AskedCommitment

/** What nodes can be asked for blocks at: those that are only processed are streamed, and answered to nobody. */
export type AskedCommitment = 'confirmed' | 'finalized'

export function askedCommitment(commitment: Commitment): AskedCommitment {
  return commitment === 'processed' ? 'confirmed' : commitment
}

/** `endpoint`: who told of it; below 0: a stream. */
export type Fetched<value> = { value: value; endpoint: number; receivedMs: number }

/** A block as a node told of it; its time is put right when it takes its place in the chain. */
export type FetchedBlock = Fetched<SolanaBlock>
