import type { DevnetProfile } from './profile.ts'
import type { SolanaProfile } from './solana/solanaProfile.ts'

/** First argument of the program, as JSON. */
export type DevnetArguments = {
  host: string
  port: number
  seed?: string | undefined
  historyS?: number | undefined
  blockMs?: number | undefined
  blocksMax?: number | undefined
  rssBytesMax?: number | undefined
}

/** Messages from the program to its parent. */
export type DevnetMessage =
  /** The RPC is open. A new genesis hash means a new chain. */
  | {
      type: 'ready'
      rpcUrl: string
      wsUrl: string
      profile: DevnetProfile | SolanaProfile
      /** Only of an EVM chain. */
      chainId?: number
      genesisHash: string
    }
  /** Complete once both are equal. */
  | { type: 'history'; minedS: number; totalS: number }
  | { type: 'log'; message: string }
  /** The program ends with code 1. */
  | { type: 'failed'; message: string }
  /** A limit was reached and the program ends: start it again for a new chain. */
  | { type: 'rollover' }
