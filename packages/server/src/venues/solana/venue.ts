import type { PoolKind } from '../../model/pool.ts'
import type { VenueMath } from '../../model/venueMath.ts'
import type { Call } from './decoding/call.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'

/** Decodes one instruction of a program. Returns false if it is not a valid one. */
export type CallDecoder = (call: Call, scope: TransactionScope) => boolean

/** Everything particular to one DEX or launch platform. Pure. */
export type SolanaVenue = VenueMath & {
  /** Name in the config and in stored records; never changes. */
  name: string
  /** Where the reserves of its pools are visible. */
  kind: PoolKind
  /** Ids of its programs: a tag only has a meaning together with its program. */
  programs: readonly string[]
  /**
   * Indexed by the tag that the instruction's data begins with, in hex. All tags of a program have
   * one length.
   */
  instructions: Readonly<Record<string, CallDecoder>>
  /** Decodes instructions with any other tag, for programs that do not publish theirs. */
  otherwise?: CallDecoder
}
