import type { CallErrorData } from '@chaintape/protocol'
import type { ChaintapeError } from '../errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: each topic has a result of its own
export type Result = any

/** Any message of the service. */
export type Message = {
  id?: number | null
  result?: Result
  cursor?: string | null
  error?: { code: number; message: string; data?: CallErrorData }
}

/** One subscription of a stream, with its progress. */
export type Subscription = {
  readonly name: string
  /** The topic and its parameters. */
  readonly params: readonly unknown[]
  /** Items that a socket can subscribe to only once. */
  readonly items: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  /** Can it resume from a cursor? If not, it starts with the current state. */
  readonly isResumable: boolean
  /** The cursor after all received items. */
  cursor: string | null
  /** Has the service ever accepted it? */
  wasTaken: boolean
  taken(): void
  push(result: Result, cursor: string | null): void
  /** Nothing was pushed up to this cursor. */
  quiet(cursor: string): void
  /** The subscription has failed. */
  fail(error: ChaintapeError): void
}

/** The params of its next subscribe call. */
export function subscribeParams({
  params,
  options,
  isResumable,
  cursor,
}: Subscription): readonly unknown[] {
  return [...params, isResumable && cursor !== null ? { ...options, since: cursor } : options]
}
