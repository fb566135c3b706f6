import type { PairRecord } from '../../model/pair.ts'
import type { PoolAnswer, PoolKind, PoolQuery, PoolStateAnswer } from '../../model/pool.ts'
import type { VenueMath } from '../../model/venueMath.ts'
import type { Inquiry, ViewAnswer, ViewCall } from './asking/inquiry.ts'
import type { LogDecoders } from './decoding/blockScope.ts'

/** All that is particular to one DEX or launch platform. Pure: what needs a node is stated as an inquiry. */
export type EvmVenue = VenueMath & {
  /** Its word in the config and in stored records: never changed. */
  name: string
  /** Where the reserves of its pools are seen. */
  kind: PoolKind
  /** By topic0. Venues that say the same with an event share its decoder, which then runs once. */
  events: LogDecoders
  /**
   * Topics of events that no pool of another venue writes, where it shares its swaps: they settle whose pool it is before
   * anybody is asked. @default none
   */
  ownTopics?: readonly string[]
  /** By contract: logs without any topic, which no filter of a node finds. @default none */
  plainLogs?: LogDecoders
  /**
   * One contract keeps many pools and writes all their events: only logs of those in the config are read. Any other
   * contract could write them in the name of a pool.
   */
  isManaged?: true
  /** How a pool is asked that was discovered late. Absent: its creation alone tells of it. */
  identity?: VenueIdentity
  /** What a pool holds and costs as of a block. Absent: its events tell all. */
  readState?(pair: PairRecord): Inquiry<PoolStateAnswer>
}

export type PoolIdentity = Omit<PoolAnswer, 'venue' | 'kind' | 'isConfirmed'>

export type VenueIdentity = {
  /** By name. The pool itself is asked, or whoever knows of it. */
  questions: Readonly<Record<string, (query: PoolQuery) => ViewCall>>
  /**
   * Those that every pool of the venue answers. Of the venues that share an event, one is told from another by them: of
   * those whose marks are all answered, the one with more marks than another is meant.
   */
  marks: readonly string[]
  /** Null: these are not the answers of its pools. */
  read(
    answers: Readonly<Record<string, ViewAnswer>>,
    query: PoolQuery,
  ): Inquiry<PoolIdentity | null>
  /**
   * What its factory is asked; one yes is enough, and none: nothing it could be asked. A pool that keeps its factory to
   * itself has an empty one, and all of the config are asked. Absent: whoever was asked is the one to be trusted.
   */
  confirm?(pool: string, identity: PoolIdentity): readonly Confirmation[]
}

type Confirmation = { call: ViewCall; isYes(answer: string): boolean }
