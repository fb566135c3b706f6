import type { PoolKind } from '../../model/pool.ts'
import type { VenueMath } from '../../model/venueMath.ts'
import type { Call } from './decoding/call.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'

/** Reads one instruction of a program. False: it is not what the program takes. */
export type CallDecoder = (call: Call, scope: TransactionScope) => boolean

/** All that is particular to one DEX or launch platform. Pure. */
export type SolanaVenue = VenueMath & {
  /** Its word in the config and in stored records: never changed. */
  name: string
  /** Where the reserves of its pools are seen. */
  kind: PoolKind
  /** Ids of its programs: a tag means nothing without the program that it is given to. */
  programs: readonly string[]
  /** By the tag that the instruction's data begins with, in hex. All tags of a program have one length. */
  instructions: Readonly<Record<string, CallDecoder>>
  /** Reads instructions with any other tag: of programs that keep theirs to themselves. */
  otherwise?: CallDecoder
}
