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

const jsonrpc = constant('2.0', 'Version of JSON-RPC.')
/** Integer or text, as the client sent it. */
export const rpcId = (meaning: string) => either([integer('An integer.'), text('A text.')], meaning)

const id = rpcId('Of the call, as it was sent.')
const status = constant('ok', 'Always `ok`.')

export const rejected = list(
  object(
    part('An item that was refused.', {
      param: any('The item as it was given.'),
      reason: text('Why it was refused.'),
    }),
  ),
  'What was refused.',
)

export const subscribeAnswer = row('SubscribeAnswer', 'What was accepted and what was refused.', {
  jsonrpc,
  id,
  result: object(
    part('The outcome.', {
      status,
      subscribed: list(any('An item.'), 'Items that are subscribed now.'),
      rejected,
    }),
  ),
})
export type SubscribeAnswer = TypeOf<typeof subscribeAnswer>

export const unsubscribeAnswer = row(
  'UnsubscribeAnswer',
  'What has ended, and what had not begun.',
  {
    jsonrpc,
    id,
    result: object(
      part('The outcome.', {
        status,
        unsubscribed: list(any('An item.'), 'Items that have ended, at most 10,000 of all.'),
        unsubscribed_count: optional(
          count('How many have ended; only where more did than are named.'),
        ),
        rejected,
      }),
    ),
  },
)
export type UnsubscribeAnswer = TypeOf<typeof unsubscribeAnswer>

export const pingAnswer = row('PingAnswer', 'The service answers.', {
  jsonrpc,
  id,
  result: constant('pong', 'Always `pong`.'),
})
export type PingAnswer = TypeOf<typeof pingAnswer>

export const callErrorData = part('What a program may act on.', {
  code: errorCode,
  param: optional(text('The input at fault; absent where it is not one input’s.')),
  rejected: optional({ ...rejected, meaning: 'What was refused; absent where nothing was.' }),
  limit: optional(text('Name of the limit that was hit; absent where none was.')),
  max: optional(integer('Value of that limit; absent as `limit` is.')),
  cursor: optional(
    nullable(text('Where to resume, null: nowhere; only where a subscription cannot go on.')),
  ),
})
export type CallErrorData = TypeOf<typeof callErrorData>

const rpcCode = integer('Code of JSON-RPC; docs/reference/errors.md lists them.')
const message = text('A sentence to act on; it may change.')

export const callError = row('CallError', 'A call failed, or a subscription cannot go on.', {
  jsonrpc,
  id: nullable(rpcId('Of the call or subscription; null: it could not be read.')),
  error: object(
    part('What failed.', {
      code: rpcCode,
      message,
      data: optional(
        object(callErrorData, 'What a program may act on; absent where there is nothing.'),
      ),
    }),
  ),
})
export type CallError = TypeOf<typeof callError>

export const keyError = row('KeyError', 'The socket is refused and closes.', {
  error: object(part('Why it is refused.', { code: rpcCode, message })),
})
export type KeyError = TypeOf<typeof keyError>
