import type { ConfigProblem } from '../kinds/configProblem.ts'

/** What nobody who runs the service has a reason to turn. Tests have: in `testing` of a config file, which is in no schema. */
export const fixedLimits = {
  /** Pause between two samples of what is stored of a chain that are compared with its nodes. */
  audit_every_ms: 60_000,
  /** Trusted pairs of a chain, discovered late, and tokens that wait for the search for their creation; 0: it is not looked for. */
  creation_searches_max: 10_000,
  /** Time between two questions about blocks that were stored in doubt: one of them is asked for again each time. */
  doubt_review_ms: 60_000,
  /** Time an API key lookup may take. */
  key_lookup_ms_max: 1_000,
  /** Time after which an indexer that the database has not heard of leads no more. */
  lease_ms: 2_000,
  /** Time for which a contract that speaks like a pool and does not answer like one is left out before it is asked again. */
  not_pool_ms: 600_000,
  /** Silence after which a WebSocket is pinged: proxies commonly cut a connection after 60 s of it. */
  ping_ms: 25_000,
  /** Time after which a start reports the chains that are still catching up, and goes on. */
  ready_ms_max: 45_000,
  /** Contracts of a chain that are checked in a minute though nobody asks, whatever its config says. */
  risk_checks_per_min_max: 600,
  /** Pools of a chain whose shares are counted by one call at its head; 0: they are not counted. */
  share_reads_max: 50,
  /** Pause between two rankings of wallets. */
  smart_wallets_every_ms: 300_000,
  /** Time between two snapshots of the market, which make starts quick. */
  snapshot_every_ms: 300_000,
  /** Time for a clean stop. */
  stop_ms_max: 10_000,
}

export type FixedLimits = Readonly<typeof fixedLimits>

/** With what a test has set. */
export function fixedLimitsOf(testing: unknown, problems: ConfigProblem[]): FixedLimits {
  if (testing === undefined) return fixedLimits
  const given = Object.entries(Object(testing) as Record<string, unknown>)
  for (const [name, value] of given)
    if (!Object.hasOwn(fixedLimits, name) || !Number.isSafeInteger(value) || Number(value) < 0)
      problems.push({ path: `testing.${name}`, message: 'is no limit that tests set' })
  return { ...fixedLimits, ...(Object.fromEntries(given) as Partial<FixedLimits>) }
}
