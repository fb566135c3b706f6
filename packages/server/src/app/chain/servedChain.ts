import type { AuditResult } from '../../audit/auditRequest.ts'
import { createWalletReads } from '../../chain/walletReads.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { Engine } from '../../engine/engine.ts'
import type { ChainStatus, GatewayChain, TokenImages } from '../../gateway/chain/gatewayChain.ts'
import type { RecentBlocks } from '../../gateway/chain/recentBlocks.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { EndpointStats } from '../../kinds/intake.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { EntryConsumer } from '../../model/logEntry.ts'
import type { WalletReader } from '../../model/walletFacts.ts'
import type { RiskChecker } from '../../risk/riskChecker.ts'
import { type RiskLimits, RiskUnavailableError, riskLimitsDefault } from '../../risk/riskChecker.ts'
import { createRiskReader, type RiskReader } from '../../risk/riskReader.ts'
import { type NodeQueries, startNodeThread } from '../threads/startNodeThread.ts'
import { createTokenImages } from './tokenImages.ts'

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
  const { wallets, images, risk, ...nodes } = createNodeReads(profile, options.riskLimits, logger)
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

export type RunAudit = (...given: Parameters<NodeQueries['audit']>) => Promise<AuditResult | null>

/** Node queries made for API callers, separate from indexing. */
export type NodeReads = {
  wallets: WalletReader
  /** Undefined: the chain has no token images. */
  images: TokenImages | undefined
  risk: RiskReader
  /** Compares stored blocks with the nodes; null: no node is connected. */
  audit: RunAudit
  /** Connects the nodes. Before, balances are unknown and contracts cannot be checked. */
  connect(setup: ChainSetup): void
  /** Request statistics of the endpoints, for queries made for callers. */
  endpoints(): readonly EndpointStats[]
  /** Disconnects; reads behave as before `connect`. */
  disconnect(): Promise<void>
}

function createNodeReads(profile: ChainProfile, riskLimits: RiskLimits, logger: Logger): NodeReads {
  const clock = { nowMs: Date.now }
  let connected: (NodeQueries & { wallets: WalletReader }) | null = null
  const checker: RiskChecker = {
    async check(subject, signal) {
      if (connected !== null) return await connected.checker.check(subject, signal)
      const reason = 'no node is connected yet'
      throw new RiskUnavailableError({ token: subject.address, reason })
    },
  }
  return {
    wallets: {
      read: async (addresses) =>
        connected?.wallets.read(addresses) ??
        new Map(addresses.map((address) => [address, { nativeRaw: null, isContract: null }])),
      readHoldings: async (query) => connected?.wallets.readHoldings(query) ?? new Map(),
    },
    images: profile.hasImages
      ? createTokenImages({
          clock,
          readImages: async (tokens, signal) =>
            connected?.readImages(tokens, signal) ?? new Map<string, string>(),
        })
      : undefined,
    risk: createRiskReader({ profile, checker, limits: riskLimits, clock, logger }),
    audit: async (...given) => (await connected?.audit(...given)) ?? null,
    endpoints: () => connected?.endpoints() ?? [],
    connect(setup) {
      const nodes = startNodeThread({ setup, riskLimits, logger })
      connected = { ...nodes, wallets: createWalletReads({ ...nodes, clock }) }
    },
    async disconnect() {
      const last = connected
      connected = null
      await last?.close()
    },
  }
}

/**
 * Only the time limit of a check is configurable, since it depends on the nodes; the other limits
 * depend on what contracts look like.
 */
export function riskLimitsOf({ limits }: Pick<Config, 'limits'>): RiskLimits {
  return { ...riskLimitsDefault, checkMsMax: limits.risk_check_ms_max }
}
