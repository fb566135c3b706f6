import type { ConfigProblem } from '../kinds/configProblem.ts'

/**
 * Limits that operators have no reason to change. Tests set them in `testing` of a config file,
 * which is part of no schema.
 */
export const internalLimits = {
  /** Pause between two samples of stored data that are compared with the chain's nodes. */
  audit_every_ms: 60_000,
  /**
   * Queue length of creation searches, for a chain's tokens and trusted pairs discovered late. 0
   * disables the searches.
   */
  creation_searches_max: 10_000,
  /** Time between two re-reads of stored unverified blocks; each re-reads one block. */
  doubt_review_ms: 60_000,
  /** Time limit of an API key lookup. */
  key_lookup_ms_max: 1_000,
  /** An indexer loses the lease of its chains after this time without contact to the database. */
  lease_ms: 2_000,
  /**
   * How long a contract that emits events like a pool but does not answer like one is ignored
   * before it is asked again.
   */
  not_pool_ms: 600_000,
  /**
   * Silence after which a WebSocket is pinged: proxies commonly close connections after 60 s of
   * silence.
   */
  ping_ms: 25_000,
  /** Time after which a start reports the chains that are still catching up, and continues. */
  ready_ms_max: 45_000,
  /**
   * Upper bound of a chain's `risk_checks_per_min`: contracts checked per minute without a request.
   */
  risk_checks_per_min_max: 600,
  /** Pools per call that reads liquidity-provider shares at a chain's head. 0 disables reading. */
  share_reads_max: 50,
  /** Pause between two rankings of smart wallets. */
  smart_wallets_every_ms: 300_000,
  /** Time between two snapshots of the market, which make starts fast. */
  snapshot_every_ms: 300_000,
  /** Time limit of a clean stop. */
  stop_ms_max: 10_000,
}

export type InternalLimits = Readonly<typeof internalLimits>

/** Returns the limits with the values that a test config overrides. */
export function internalLimitsOf(testing: unknown, problems: ConfigProblem[]): InternalLimits {
  if (testing === undefined) return internalLimits
  const given = Object.entries(Object(testing) as Record<string, unknown>)
  for (const [name, value] of given)
    if (!Object.hasOwn(internalLimits, name) || !Number.isSafeInteger(value) || Number(value) < 0)
      problems.push({ path: `testing.${name}`, message: 'is not a limit that tests can set' })
  return { ...internalLimits, ...(Object.fromEntries(given) as Partial<InternalLimits>) }
}
