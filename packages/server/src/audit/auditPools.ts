import type { ChainProfile } from '../model/chainProfile.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { PairRecord } from '../model/pair.ts'
import type { ResolvedEvent } from '../model/resolvedBlock.ts'
import { type BlockPlan, planBlock } from '../resolve/blockPlan.ts'
import type { ChainReader } from '../resolve/chainReader.ts'
import { MultiTokenPools } from '../resolve/pools/multiTokenPools.ts'
import { RecordCache, type RecordReader } from '../resolve/records/recordCache.ts'
import { resolveEvents } from '../resolve/resolveEvents.ts'
import type { AuditFinding } from './auditRequest.ts'

export type AuditPoolsOptions = {
  profile: ChainProfile
  reader: Pick<ChainReader, 'coupleIdOf' | 'readPools'>
  records: Pick<RecordReader, 'findPairs' | 'findCouples'>
  /** Contracts whose events are ignored until they answer like pools. */
  leftOut: ReadonlySet<string>
}

/** Events of stored pools, and findings about pools that are not stored. */
export type AuditedEvents = { events: readonly ResolvedEvent[]; findings: readonly AuditFinding[] }

// A record takes some hundred bytes.
const pairsMax = 100_000
const none: ReadonlySet<string> = new Set()

/** Resolves blocks by the service's rules and its stored pools. Changes nothing. */
export function createAuditPools(options: AuditPoolsOptions) {
  const { profile, reader, records, leftOut } = options
  const { coupleIdOf } = reader
  const pairs = new RecordCache<PairRecord>({
    find: (addresses) => records.findPairs(addresses),
    // Treated as incomplete: missing pools are looked up.
    nextId: 1,
    recordsMax: pairsMax,
    absentMax: 0,
  })
  const couples = new MultiTokenPools({
    find: (pools) => records.findCouples(pools),
    isEmpty: false,
    pairs,
    coupleIdOf,
  })
  /** Contracts that do not answer like pools, as far as they were asked. */
  const notPools = new Set<string>()

  async function findingsOf(block: DecodedBlock, plan: BlockPlan): Promise<AuditFinding[]> {
    const { ref } = block
    const tell = (text: string): AuditFinding => ({
      kind: 'pool',
      block: { number: ref.number, hash: ref.hash },
      msg: `Block ${ref.number}: ${text}.`,
    })
    const made = [...plan.created.values()].filter(({ address }) => !pairs.get(address))
    const traded = new Set(
      block.events.flatMap((event) => (event.type === 'swap' ? event.pool : [])),
    )
    const strangers = [...plan.pools.values()].filter(
      (query) =>
        traded.has(query.pool) &&
        !couples.pairOf(query) &&
        !plan.created.has(query.pool) &&
        !leftOut.has(query.key) &&
        !notPools.has(query.key),
    )
    const answers = strangers.length === 0 ? [] : await reader.readPools(strangers, ref)
    const unknown = strangers.filter((_, at) => answers[at])
    strangers.forEach(({ key }, at) => void (answers[at] || notPools.add(key)))
    return [
      ...made.map(({ address }) => tell(`pool ${address} was made, and is not stored`)),
      ...unknown.map(({ pool }) => tell(`pool ${pool} traded, and is not stored`)),
    ]
  }

  return async (block: DecodedBlock): Promise<AuditedEvents> => {
    const plan = planBlock(block, profile, coupleIdOf)
    const coupled = await couples.load(plan.multiTokenPools)
    await pairs.load(plan.pools.keys(), plan.created.keys(), plan.multiTokenPools, coupled)
    const { events } = resolveEvents(block, {
      pairOf: (mention) => couples.pairOf(mention),
      pairsOf: (pool) => couples.pairsOf(pool),
      tokenIdOf: () => undefined,
      discoveredCurves: none,
    })
    const findings = await findingsOf(block, plan)
    pairs.evict()
    return { events, findings }
  }
}
