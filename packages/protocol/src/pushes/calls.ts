import { errorCode } from '../answers/service.ts'
import {
  any,
  constant,
  count,
  either,
  integer,
  list,
  nullable,
  object,
  optional,
  part,
  row,
  type TypeOf,
  text,
} from '../describe.ts'

/** Answers to calls. */

const jsonrpc = constant('2.0', 'JSON-RPC version.')
/** Integer or text, as the client sent it. */
export const rpcId = (meaning: string) => either([integer('An integer.'), text('A text.')], meaning)

const id = rpcId('Id of the call, as sent.')
const status = constant('ok', 'Always `ok`.')

export const rejected = list(
  object(
    part('A rejected item.', {
      param: any('The item as given.'),
      reason: text('Reason for the rejection.'),
    }),
  ),
  'Rejected items.',
)

export const subscribeAnswer = row('SubscribeAnswer', 'Accepted and rejected items.', {
  jsonrpc,
  id,
  result: object(
    part('Result of the call.', {
      status,
      subscribed: list(any('An item.'), 'Items subscribed now.'),
      rejected,
    }),
  ),
})
export type SubscribeAnswer = TypeOf<typeof subscribeAnswer>

export const unsubscribeAnswer = row(
  'UnsubscribeAnswer',
  'Items that were unsubscribed, and items that were not subscribed.',
  {
    jsonrpc,
    id,
    result: object(
      part('The outcome.', {
        status,
        unsubscribed: list(any('An item.'), 'Unsubscribed items, at most 10,000 in total.'),
        unsubscribed_count: optional(
          count('Number of unsubscribed items; only if there are more than the lists name.'),
        ),
        rejected,
      }),
    ),
  },
)
export type UnsubscribeAnswer = TypeOf<typeof unsubscribeAnswer>

export const pingAnswer = row('PingAnswer', 'Answer of a reachable service.', {
  jsonrpc,
  id,
  result: constant('pong', 'Always `pong`.'),
})
export type PingAnswer = TypeOf<typeof pingAnswer>

export const callErrorData = part('Details for programs.', {
  code: errorCode,
  param: optional(text('The input that caused the error; absent if it is not a single input.')),
  rejected: optional({ ...rejected, meaning: 'Rejected items; absent if none.' }),
  limit: optional(text('Name of the exceeded limit; absent if none.')),
  max: optional(integer('Value of that limit; absent if `limit` is.')),
  cursor: optional(
    nullable(text('Cursor to resume from, null: none; only if a subscription cannot continue.')),
  ),
})
export type CallErrorData = TypeOf<typeof callErrorData>

const rpcCode = integer('JSON-RPC error code; docs/reference/errors.md lists all.')
const message = text('A sentence for people; it may change.')

export const callError = row(
  'CallError',
  'A failed call, or a subscription that cannot continue.',
  {
    jsonrpc,
    id: nullable(rpcId('Id of the call or subscription; null: it could not be read.')),
    error: object(
      part('Details of the error.', {
        code: rpcCode,
        message,
        data: optional(object(callErrorData, 'Details for programs; absent if none.')),
      }),
    ),
  },
)
export type CallError = TypeOf<typeof callError>

export const keyError = row('KeyError', 'The service rejects the socket and closes it.', {
  error: object(part('Reason for the rejection.', { code: rpcCode, message })),
})
export type KeyError = TypeOf<typeof keyError>
