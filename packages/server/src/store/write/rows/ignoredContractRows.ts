import type { Client } from 'pg'
import type { BlockRef } from '../../../model/block.ts'
import type {
  ForgottenIgnoredContracts,
  IgnoredContractChanges,
  MissedPools,
} from '../../../model/trust/ignoredContracts.ts'
import type { BlockWrite } from '../../blockWrite.ts'
import { blockOf } from './batchRows.ts'

/** Gaps in a chain's history from contracts that did not answer like pools. */
export type IgnoredContractGaps = {
  /** Null if there are none. */
  missedPools: MissedPools | null
  forgottenContracts: ForgottenIgnoredContracts | null
}

export const noIgnoredContractGaps: IgnoredContractGaps = {
  missedPools: null,
  forgottenContracts: null,
}

// Pools named in an answer; further ones are only counted.
const namedMax = 20

type Span = { first: BlockRef; lastNumber: number }

/** Records ignored contracts of these writes, and changes to earlier ones. */
export async function writeIgnoredContracts(
  client: Client,
  writes: readonly BlockWrite[],
): Promise<void> {
  const spans = new Map<string, Span>()
  for (const write of writes) {
    const { chainId, leftOut: changes } = write
    const block = blockOf(write)
    if (!changes || block === null) continue
    if (changesStates(changes)) {
      await writeSpans(client, chainId, spans)
      await writeStates(client, chainId, changes)
    }
    for (const address of changes.leftOut) {
      const span = spans.get(address)
      if (span === undefined) spans.set(address, { first: block, lastNumber: block.number })
      else span.lastNumber = block.number
    }
  }
  if (writes.length > 0) await writeSpans(client, writes[0]!.chainId, spans)
}

/** The next ignored block may be later than the recorded ones, never earlier. */
async function writeSpans(
  client: Client,
  chainId: number,
  spans: Map<string, Span>,
): Promise<void> {
  if (spans.size === 0) return
  const all = [...spans.values()]
  await client.query(
    `INSERT INTO left_out (chain, state, address, first_number, first_hash, first_parent_number, first_parent_hash, last_number)
     SELECT $1, 'open', * FROM unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::bigint[])
     ON CONFLICT (chain, address) DO UPDATE SET last_number = excluded.last_number`,
    [
      chainId,
      [...spans.keys()],
      all.map(({ first }) => first.number),
      all.map(({ first }) => first.hash),
      all.map(({ first }) => first.parentNumber),
      all.map(({ first }) => first.parentHash),
      all.map(({ lastNumber }) => lastNumber),
    ],
  )
  spans.clear()
}

async function writeStates(
  client: Client,
  chainId: number,
  { missed, cleared, forgotten }: IgnoredContractChanges,
): Promise<void> {
  await client.query(
    `UPDATE left_out SET state = 'missed' WHERE chain = $1 AND address = ANY ($2) AND state = 'open'`,
    [chainId, missed],
  )
  const settled = forgotten.filter(({ isSettled }) => isSettled).map(({ address }) => address)
  await client.query(
    `DELETE FROM left_out WHERE chain = $1 AND address = ANY ($2) AND state = 'open'`,
    [chainId, [...cleared, ...settled]],
  )
  const others = forgotten.filter(({ isSettled }) => !isSettled).map(({ address }) => address)
  if (others.length === 0) return
  await client.query(
    `WITH gone AS (
       DELETE FROM left_out WHERE chain = $1 AND address = ANY ($2) AND state = 'open'
       RETURNING first_number, last_number)
     INSERT INTO left_out (chain, address, state, first_number, first_hash, first_parent_hash, last_number, contracts)
     SELECT $1, '', 'forgotten', min(first_number), '', '', max(last_number), count(*) FROM gone HAVING count(*) > 0
     ON CONFLICT (chain, address) DO UPDATE SET
       first_number = least(left_out.first_number, excluded.first_number),
       last_number = greatest(left_out.last_number, excluded.last_number),
       contracts = left_out.contracts + excluded.contracts`,
    [chainId, others],
  )
}

/** Removes contracts that this block was the first to ignore. */
export async function revertIgnoredContracts(
  client: Client,
  chainId: number,
  { number, parentNumber }: BlockRef,
): Promise<void> {
  await client.query(
    `DELETE FROM left_out WHERE chain = $1 AND state = 'open' AND first_number >= $2`,
    [chainId, number],
  )
  await client.query(
    `UPDATE left_out SET last_number = $3 WHERE chain = $1 AND state = 'open' AND last_number >= $2`,
    [chainId, number, parentNumber],
  )
}

export async function loadIgnoredContractGaps(
  client: Client,
  chainId: number,
): Promise<IgnoredContractGaps> {
  type Sum = ForgottenIgnoredContracts & { state: 'missed' | 'forgotten' }
  const { rows: sums } = await client.query<Sum>(
    `SELECT state, sum(contracts)::integer AS count, min(first_number) AS "fromNumber", max(last_number) AS "toNumber"
     FROM left_out WHERE chain = $1 AND state <> 'open' GROUP BY state`,
    [chainId],
  )
  const sumOf = (wanted: Sum['state']) => {
    const { state: _, ...sum } = sums.find(({ state }) => state === wanted) ?? { state: null }
    return 'count' in sum ? sum : null
  }
  const missed = sumOf('missed')
  const forgottenContracts = sumOf('forgotten')
  if (missed === null) return { missedPools: null, forgottenContracts }
  const { rows: pools } = await client.query<MissedPools['pools'][number]>(
    `SELECT address, first_number AS "fromNumber", last_number AS "toNumber" FROM left_out
     WHERE chain = $1 AND state = 'missed' ORDER BY first_number, address LIMIT ${namedMax}`,
    [chainId],
  )
  return { missedPools: { ...missed, pools }, forgottenContracts }
}

/** Does storing these writes change which events are missing? */
export function changesIgnoredContracts(writes: readonly BlockWrite[]): boolean {
  return writes.some(({ leftOut }) => leftOut && changesStates(leftOut))
}

function changesStates({ missed, cleared, forgotten }: IgnoredContractChanges): boolean {
  return missed.length + cleared.length + forgotten.length > 0
}
