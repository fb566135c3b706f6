import type { MarketEvent } from '../../model/marketEvent.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import type { OrphanBlock } from '../chain/recentBlocks.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { PublishScope } from './publishScope.ts'
import type { ChainTopic } from './topic.ts'

/** A topic and the names that clients subscribe to it by. */
type NamedTopic = { names: readonly string[]; topic: ChainTopic }

type Publish = (scope: PublishScope, event: MarketEvent) => void
type Retract = (scope: PublishScope, event: MarketEvent, orphan: OrphanBlock) => void

/**
 * All topics of one chain. Passes each market event to the topics that push something for its type.
 */
export class ChainTopics {
  readonly market: ChainMarket
  readonly all: readonly ChainTopic[]
  readonly #byName = new Map<string, ChainTopic>()
  readonly #publishers = new Map<string, Publish[]>()
  readonly #retractors = new Map<string, Retract[]>()

  constructor(market: ChainMarket, named: readonly NamedTopic[]) {
    this.market = market
    this.all = named.map(({ topic }) => topic)
    for (const { names, topic } of named) for (const name of names) this.#byName.set(name, topic)
    for (const { publish = {}, retract = {} } of this.all) {
      addHandlers(this.#publishers, publish)
      addHandlers(this.#retractors, retract)
    }
  }

  get isEmpty(): boolean {
    return this.all.every((topic) => topic.isEmpty())
  }

  find(name: string): ChainTopic | undefined {
    return this.#byName.get(name)
  }

  publish(scope: PublishScope, event: MarketEvent): void {
    for (const send of this.#publishers.get(event.type) ?? []) send(scope, event)
  }

  retract(scope: PublishScope, event: MarketEvent, orphan: OrphanBlock): void {
    for (const send of this.#retractors.get(event.type) ?? []) send(scope, event, orphan)
  }

  /** Binds subscribed addresses to the token or pair that an event has added to the engine. */
  bindIds(event: MarketEvent): void {
    for (const { indexes } of this.all)
      for (const index of indexes)
        if (event.type === 'token') index.tokenAdded(event.token.id, event.token.address)
        else if (event.type === 'pair') index.pairAdded(event.pair.id, event.pair.address)
  }

  /** Clears caches after a revert, because ids may now belong to other pairs and tokens. */
  clearCaches(): void {
    this.market.clearCaches()
    for (const topic of this.all) {
      for (const index of topic.indexes) index.unbindFreedIds()
      topic.clearIds?.(false)
    }
  }

  /**
   * Switches to another market of the same chain name, for example when the local chain restarts.
   */
  replace(chain: GatewayChain): void {
    this.market.replace(chain)
    for (const topic of this.all) {
      for (const index of topic.indexes) index.rebind()
      topic.clearIds?.(true)
    }
  }
}

/**
 * Adds handlers to a table by event type. The type alone selects a handler, so the cast is safe.
 */
function addHandlers<handler>(table: Map<string, handler[]>, handlers: object): void {
  for (const [type, handler] of Object.entries(handlers) as [string, handler][]) {
    const known = table.get(type)
    if (known === undefined) table.set(type, [handler])
    else known.push(handler)
  }
}
