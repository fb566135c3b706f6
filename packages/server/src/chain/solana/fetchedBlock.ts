import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'

export type Commitment = 'confirmed' | 'finalized'

/** `endpoint`: who told of it; below 0: a stream. */
export type Fetched<value> = { value: value; endpoint: number; receivedMs: number }

/** A block as a node told of it; its time is put right when it takes its place in the chain. */
export type FetchedBlock = Fetched<SolanaBlock>
