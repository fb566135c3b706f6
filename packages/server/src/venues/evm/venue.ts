import type { PairRecord } from '../../model/pair.ts'
import type { PoolAnswer, PoolKind, PoolQuery, PoolStateAnswer } from '../../model/pool.ts'
import type { VenueMath } from '../../model/venueMath.ts'
import type { Inquiry, ViewAnswer, ViewCall } from './asking/inquiry.ts'
import type { LogDecoders } from './decoding/blockScope.ts'

/** Everything particular to one DEX or launch platform. Pure: questions to a node are inquiries. */
export type EvmVenue = VenueMath & {
  /** Name in the config and in stored records; never changes. */
  name: string
  /** Where the reserves of its pools are visible. */
  kind: PoolKind
  /** Indexed by topic0. Venues with the same event share its decoder, which then runs once. */
  events: LogDecoders
  /**
   * Topics of events that only this venue's pools emit, for a venue whose swap event is shared.
   * They identify its pools without a call. @default none
   */
  ownTopics?: readonly string[]
  /** Indexed by contract: logs without a topic, which no log filter finds. @default none */
  plainLogs?: LogDecoders
  /**
   * One contract keeps many pools and emits all their events. Only logs of contracts in the config
   * are decoded: any other contract could emit them in the name of a pool.
   */
  isManaged?: true
  /**
   * Questions that identify a pool discovered after its creation. Absent if only the creation event
   * identifies it.
   */
  identity?: VenueIdentity
  /** Reads a pool's reserves and price at a block. Absent if its events have both. */
  readState?(pair: PairRecord): Inquiry<PoolStateAnswer>
}

export type PoolIdentity = Omit<PoolAnswer, 'venue' | 'kind' | 'isConfirmed'>

export type VenueIdentity = {
  /** Indexed by name. The calls go to the pool, or to a contract that knows it. */
  questions: Readonly<Record<string, (query: PoolQuery) => ViewCall>>
  /**
   * Names of questions that every pool of the venue answers. They tell venues with a shared event
   * apart: of the venues whose marks are all answered, the one with the most marks counts.
   */
  marks: readonly string[]
  /** Null if these are not answers of its pools. */
  read(
    answers: Readonly<Record<string, ViewAnswer>>,
    query: PoolQuery,
  ): Inquiry<PoolIdentity | null>
  /**
   * Calls to the factory, of which one yes is enough; an empty list confirms nothing. If a pool
   * does not reveal its factory, its identity has an empty one, and all factories of the config are
   * asked. Absent if the asked contract itself is the trusted one.
   */
  confirm?(pool: string, identity: PoolIdentity): readonly Confirmation[]
}

type Confirmation = { call: ViewCall; isYes(answer: string): boolean }
