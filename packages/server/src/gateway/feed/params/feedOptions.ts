import { parseCursor } from '../../chain/cursor.ts'
import { RequestError } from '../../ground/errors.ts'
import { type FeedOptions, heartbeatRangeS } from '../feed.ts'

export const noFeedOptions: FeedOptions = {
  since: null,
  snapshot: false,
  revisions: false,
  heartbeatS: null,
}

/** Whether items get a replay or a snapshot before they become live. */
export function needsReplay({ since, snapshot }: FeedOptions): boolean {
  return since !== null || snapshot
}

export function isOptionsObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const optionNames = ['since', 'snapshot', 'revisions', 'heartbeat']

/**
 * Parses the options object at the end of `params`. Unknown names are refused: a mistyped option
 * would silently lose events.
 */
export function parseOptions(value: Record<string, unknown>): FeedOptions {
  for (const name of Object.keys(value))
    if (!optionNames.includes(name))
      throw new RequestError(
        'invalid_param',
        `Unknown option ${shown(name)}. The options are: ${optionNames.join(', ')}.`,
        name.slice(0, nameCharsMax),
      )
  const { since = null, snapshot = false, revisions = false, heartbeat = null } = value
  if (since !== null && (typeof since !== 'string' || parseCursor(since) === null))
    throw new RequestError(
      'invalid_param',
      'since must be a cursor of an earlier push: <block>-<hash8>-<index>.',
      'since',
    )
  return {
    since,
    snapshot: booleanOf(snapshot, 'snapshot'),
    revisions: booleanOf(revisions, 'revisions'),
    heartbeatS: heartbeatOf(heartbeat),
  }
}

// Every option name is shorter; errors repeat no more of an unknown name.
const nameCharsMax = 40

function shown(name: string): string {
  return JSON.stringify(name.slice(0, nameCharsMax))
}

function booleanOf(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean')
    throw new RequestError('invalid_param', `${name} must be true or false.`, name)
  return value
}

function heartbeatOf(value: unknown): number | null {
  if (value === null) return null
  const { min, max } = heartbeatRangeS
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new RequestError(
      'invalid_param',
      'heartbeat must be a whole number of seconds between two messages.',
      'heartbeat',
    )
  if (value < min || value > max)
    throw new RequestError(
      'limit_out_of_range',
      `heartbeat must be from ${min} to ${max} seconds.`,
      'heartbeat',
    )
  return value
}
