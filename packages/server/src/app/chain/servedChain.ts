import type { Engine } from '../../engine/engine.ts'
import type { ChainStatus, GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import type { RecentBlocks } from '../../gateway/chain/recentBlocks.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { RiskLimits } from '../../risk/riskLimits.ts'
import { createNodeReads, type NodeReads } from './nodeReads.ts'

export type ServedChainOptions = {
  /** Chain kind, such as `evm`. */
  kind: string
  profile: ChainProfile
  chainId: number
  engine: Engine
  /** Recent blocks, from the same entries as the engine. */
  recent: RecentBlocks
  riskLimits: RiskLimits
  logger: Logger
  status(): ChainStatus
}

/** A chain as the gateway serves it, kept up to date by applied entries. */
type ServedChain = Pick<NodeReads, 'connect' | 'audit' | 'endpoints' | 'disconnect'> & {
  gatewayChain: GatewayChain
  /** Market events applied so far. */
  eventCount(): number
  /**
   * Keeps the newest blocks. Must be the chain's first consumer of entries: later consumers read
   * blocks from it.
   */
  recentHistory: EntryConsumer
  persisted(seq: number): void
}

export function createServedChain(options: ServedChainOptions): ServedChain {
  const { profile, chainId, engine, recent, logger, status } = options
  const { wallets, images, risk, ...nodes } = createNodeReads({
    profile,
    riskLimits: options.riskLimits,
    logger,
  })
  let eventCount = 0
  let version = 0
  return {
    gatewayChain: {
      ids: chainKindOf(options).ids,
      profile,
      storeId: chainId,
      reads: engine,
      status,
      recent,
      wallets,
      images,
      risk,
      version: () => version,
    },
    eventCount: () => eventCount,
    recentHistory: {
      name: recent.name,
      onApplied(applied) {
        eventCount += applied.events.length
        version += 1
        recent.applied(applied)
      },
    },
    persisted: (seq) => recent.persisted(seq),
    ...nodes,
  }
}
