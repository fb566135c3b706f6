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

/** One request of a stream: what it subscribes, and how far it is. */
export type Subscription = {
  readonly name: string
  /** The topic and what follows it. */
  readonly params: readonly unknown[]
  /** What of it can be subscribed once only on a socket. */
  readonly items: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  /** Can it go on from a cursor? Else it begins with what is now. */
  readonly isResumable: boolean
  /** Behind all that was received. */
  cursor: string | null
  /** Has the service ever taken it? */
  wasTaken: boolean
  taken(): void
  push(result: Result, cursor: string | null): void
  /** Nothing was pushed up to here. */
  quiet(cursor: string): void
  /** It is over. */
  fail(error: ChaintapeError): void
}

/** The params of its subscribe call now. */
export function subscribeParams({
  params,
  options,
  isResumable,
  cursor,
}: Subscription): readonly unknown[] {
  return [...params, isResumable && cursor !== null ? { ...options, since: cursor } : options]
}
