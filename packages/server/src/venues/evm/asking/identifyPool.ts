import type { VenueProfile } from '../../../model/chainProfile.ts'
import type { PoolAnswer, PoolQuery } from '../../../model/pool.ts'
import type { EvmVenue, PoolIdentity, VenueIdentity } from '../venue.ts'
import type { VenueSet } from '../venueSet.ts'
import { answered, type Inquiry, type ViewAnswer, type ViewCall } from './inquiry.ts'

const addressLength = 42

type Candidate = { venue: EvmVenue; identity: VenueIdentity; calls: Record<string, ViewCall> }

/**
 * Identifies a pool: asks the questions of all venues it may belong to at once, then its venue's
 * own questions, then its factory. Null if it answers like no pool, or like pools of two venues.
 */
export function identifyPool(
  query: PoolQuery,
  venues: VenueSet,
  sources: readonly VenueProfile[],
): Inquiry<PoolAnswer | null> {
  const candidates = candidatesOf(query, venues)
  if (candidates.length === 0) return answered(null)
  const calls = new Map<string, ViewCall>()
  for (const candidate of candidates)
    for (const call of Object.values(candidate.calls)) calls.set(keyOf(call), call)
  return {
    calls: [...calls.values()],
    next(answers) {
      const byCall = new Map([...calls.keys()].map((key, i) => [key, answers[i] ?? null]))
      const own = candidates.map((candidate) => ({ candidate, answers: pick(candidate, byCall) }))
      const meant = meantOf(own.filter(({ candidate, answers }) => hasMarks(candidate, answers)))
      if (!meant) return answered(null)
      const { candidate } = meant
      const inquiry = candidate.identity.read(meant.answers, query)
      return chain(inquiry, (identity) => confirmed(query, candidate, identity, sources))
    },
  }
}

function candidatesOf({ venues: named, ...query }: PoolQuery, venues: VenueSet): Candidate[] {
  return (named ?? venues.names).flatMap((name) => {
    const venue = venues.find(name)
    if (!venue?.identity) return []
    const isManaged = venue.isManaged === true
    if (isManaged !== (query.manager !== undefined)) return []
    // Ids of 32 bytes are not contracts and cannot be asked.
    if (!isManaged && query.pool.length !== addressLength) return []
    const questions = Object.entries(venue.identity.questions)
    const calls = Object.fromEntries(questions.map(([name, ask]) => [name, ask(query)]))
    return [{ venue, identity: venue.identity, calls }]
  })
}

function pick(
  { calls }: Candidate,
  byCall: ReadonlyMap<string, ViewAnswer>,
): Record<string, ViewAnswer> {
  const entries = Object.entries(calls)
  return Object.fromEntries(entries.map(([name, call]) => [name, byCall.get(keyOf(call)) ?? null]))
}

function hasMarks({ identity }: Candidate, answers: Readonly<Record<string, ViewAnswer>>): boolean {
  // A fallback function answers any call with nothing.
  return identity.marks.every((mark) => (answers[mark]?.length ?? 0) > 2)
}

/**
 * Picks the venue that a pool belongs to from those it could be. A mark is an answer that only
 * pools of a venue give. The pick has all marks of the others, or more marks of its own than each
 * other.
 */
function meantOf<match extends { candidate: Candidate }>(
  matches: readonly match[],
): match | undefined {
  return matches.find(({ candidate }) => {
    const marks = new Set(candidate.identity.marks)
    return matches.every(({ candidate: { identity } }) => {
      const foreign = identity.marks.filter((mark) => !marks.has(mark))
      return foreign.length === 0 || marks.size > identity.marks.length
    })
  })
}

function confirmed(
  { pool, manager }: PoolQuery,
  { venue, identity: { confirm } }: Candidate,
  identity: PoolIdentity | null,
  sources: readonly VenueProfile[],
): Inquiry<PoolAnswer | null> {
  if (identity === null) return answered(null)
  const answer = { ...identity, venue: venue.name, kind: venue.kind, isConfirmed: false }
  const asked = sources.filter(
    ({ address, venue: name }) =>
      name === venue.name && (identity.factory === '' || address === identity.factory),
  )
  if (asked.length === 0) return answered(answer)
  if (!confirm) return answered({ ...answer, isConfirmed: identity.factory === manager })
  const confirmations = asked.flatMap(({ address: factory }) =>
    confirm(pool, { ...identity, factory }).map((question) => ({ ...question, factory })),
  )
  if (confirmations.length === 0) return answered(answer)
  return {
    calls: confirmations.map(({ call }) => call),
    next(words) {
      const yes = confirmations.find(({ isYes }, i) => {
        const word = words[i]
        return typeof word === 'string' && isYes(word)
      })
      return answered(yes ? { ...answer, factory: yes.factory, isConfirmed: true } : answer)
    },
  }
}

function chain<first, second>(
  inquiry: Inquiry<first>,
  then: (answer: first) => Inquiry<second>,
): Inquiry<second> {
  if ('answer' in inquiry) return then(inquiry.answer)
  return { calls: inquiry.calls, next: (answers) => chain(inquiry.next(answers), then) }
}

function keyOf({ to, data }: ViewCall): string {
  return `${to} ${data}`
}
