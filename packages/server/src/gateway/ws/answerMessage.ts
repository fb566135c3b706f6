import { errorSpecs } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import type { Feed } from '../feed/feed.ts'
import type { RpcId } from '../feed/push.ts'
import { RequestError } from '../ground/errors.ts'
import { itemsPerStep, type Steps } from '../ground/steps.ts'
import {
  callExample,
  echoableParam,
  encodeAnswer,
  type InvalidRequest,
  limitExceededError,
  parseJsonRpc,
  type RejectedItem,
  type RpcCall,
  type RpcErrorBody,
  type RpcOutcome,
  rpcErrorCodes,
  rpcErrorOf,
} from '../http/jsonRpc.ts'
import type { Plan } from '../keys/plan.ts'
import type { Subscription } from './subscriptions/subscription.ts'
import { limitError, type SubscriptionBudget } from './subscriptions/subscriptionLimits.ts'
import type { SubscriptionSet } from './subscriptions/subscriptionSet.ts'
import type { WsStats } from './wsStats.ts'

type AnswerContext = Omit<RpcContext, 'toStart'> & {
  stats: WsStats
  logger: Logger
  batchCallsMax: number
  /**
   * Takes one message from the connection's rate limit. Returns false once the limit is exceeded.
   */
  takeFromRateLimit(): boolean
  /** Called for each call or message that is answered with an error. */
  onRefused(): void
}

export type RpcAnswer = {
  /** JSON-RPC response to send. Null if the message held only notifications. */
  text: string | null
  /** Subscriptions to start once the response is queued. */
  subscriptionsToStart: readonly Subscription[]
}

/**
 * Answers one WebSocket message, valid or not. A message over the rate limit is refused without
 * parsing. Never throws.
 */
export function* answerMessage(data: Buffer, context: AnswerContext): Steps<RpcAnswer> {
  const { stats, batchCallsMax } = context
  stats.messages += 1
  if (!context.takeFromRateLimit()) return yield* refusedAnswer(rateFault(context), context)
  const message = parseJsonRpc(data.toString('utf8'), batchCallsMax)
  // Yields, because parsing a long message can fill a scheduler slot.
  yield
  if (message === null)
    return yield* refusedAnswer(
      { code: rpcErrorCodes.notJson, message: `The message is not valid JSON. ${callExample}` },
      context,
    )
  if ('tooMany' in message)
    return yield* refusedAnswer(batchFault(message.tooMany, batchCallsMax), context)
  const { isBatch, parts } = message
  const subscriptionsToStart: Subscription[] = []
  const answers: string[] = []
  for (const [at, part] of parts.entries()) {
    if (at > 0) yield
    // The rate limit already charged the first call with its message.
    const isTaken = at === 0 || context.takeFromRateLimit()
    const outcome = isTaken
      ? yield* outcomeOf(part, context, subscriptionsToStart)
      : { fault: rateFault(context) }
    if ('fault' in outcome) context.onRefused()
    if (part.id !== undefined) answers.push(yield* encodeAnswer(part.id, outcome))
  }
  if (answers.length === 0) return { text: null, subscriptionsToStart }
  return { text: isBatch ? `[${answers.join()}]` : answers[0]!, subscriptionsToStart }
}

function* refusedAnswer(fault: RpcErrorBody, { onRefused }: AnswerContext): Steps<RpcAnswer> {
  onRefused()
  return { text: yield* encodeAnswer(null, { fault }), subscriptionsToStart: [] }
}

function* outcomeOf(
  part: RpcCall | InvalidRequest,
  context: AnswerContext,
  toStart: Subscription[],
): Steps<RpcOutcome> {
  if (part.type === 'invalid')
    return { fault: { code: rpcErrorCodes.invalidRequest, message: part.reason } }
  try {
    return yield* callMethod(part, { ...context, toStart })
  } catch (error) {
    if (error instanceof RequestError) return { fault: rpcErrorOf(error) }
    context.logger.error({ msg: 'Failed to answer a call', method: part.method, err: error })
    return {
      fault: rpcErrorOf(new RequestError('internal', 'The service failed to answer this call.')),
    }
  }
}

function batchFault(count: number, max: number): RpcErrorBody {
  return limitExceededError(
    'batch_calls_max',
    max,
    `A batch may hold ${max} calls, this batch has ${count}.`,
  )
}

function rateFault({ stats, plan }: AnswerContext): RpcErrorBody {
  stats.rateLimited += 1
  const max = plan.messagesPerS ?? 0
  return {
    code: errorSpecs.rate_limited.rpcCode,
    message: `Your plan allows ${max} messages a second on one connection.`,
    data: { code: 'rate_limited', limit: 'messages_per_s', max },
  }
}

/**
 * State that a JSON-RPC method reads and changes: feed, plan and subscriptions of the connection.
 */
type RpcContext = {
  feed: Feed
  plan: Plan
  subscriptions: SubscriptionSet
  budget: SubscriptionBudget
  /** Output of `subscribe`: subscriptions to start once the response is queued. */
  toStart: Subscription[]
}

// Characters of an unknown method that its error repeats.
const methodCharsMax = 64

/** Runs one JSON-RPC method. Throws RequestError if the feed rejects the params. */
function* callMethod({ method, params, id }: RpcCall, context: RpcContext): Steps<RpcOutcome> {
  switch (method) {
    case 'ping':
      return { result: 'pong' }
    case 'subscribe':
      return Array.isArray(params) ? yield* subscribe(params, id ?? 0, context) : paramsFault()
    case 'unsubscribe':
      return Array.isArray(params) ? yield* unsubscribe(params, context) : paramsFault()
    default:
      return {
        fault: {
          code: rpcErrorCodes.unknownMethod,
          message: `"${method.slice(0, methodCharsMax)}" is not a method; use subscribe, unsubscribe or ping.`,
        },
      }
  }
}

function* subscribe(params: readonly unknown[], id: RpcId, context: RpcContext): Steps<RpcOutcome> {
  const { feed, subscriptions, toStart } = context
  const request = yield* feed.parse(params)
  const rejected = request.rejected.map(echoRejected)
  if (request.items.length === 0) return allItemsRejected(rejected)
  yield
  const added = request.items.filter(({ key }) => !subscriptions.has(key))
  const overLimit = limitError(request, added, context)
  if (overLimit !== null) return { fault: overLimit }
  for (const made of yield* subscriptions.add(request, added, id)) toStart.push(made)
  return {
    result: {
      status: 'ok',
      // Accepted params are safe to echo: only strings, lists of strings and filters are valid
      // items.
      subscribed: request.items.map(({ param }) => param),
      rejected,
    },
  }
}

// Unsubscribed items listed in one response. So long a list takes a megabyte, more than any client
// reads.
const listedItemsMax = 10_000

function* unsubscribe(
  params: readonly unknown[],
  { feed, subscriptions }: RpcContext,
): Steps<RpcOutcome> {
  if (params.length === 0) {
    const unsubscribed = subscriptions.listParams(listedItemsMax)
    const count = subscriptions.size
    subscriptions.clear()
    // The response lists at most `listedItemsMax` items. If more were unsubscribed, it also has
    // their number.
    const counted = count > listedItemsMax ? { unsubscribed_count: count } : {}
    return { result: { status: 'ok', unsubscribed, ...counted, rejected: [] } }
  }
  const request = yield* feed.parse(withoutOptions(params))
  const unsubscribed: unknown[] = []
  const rejected = request.rejected.map(echoRejected)
  for (const [at, { key, param }] of request.items.entries()) {
    if (at % itemsPerStep === itemsPerStep - 1) yield
    if (subscriptions.remove(key)) unsubscribed.push(param)
    else rejected.push({ param: echoableParam(param), reason: 'not subscribed' })
  }
  if (unsubscribed.length === 0) return allItemsRejected(rejected)
  return { result: { status: 'ok', unsubscribed, rejected } }
}

/**
 * Drops the options object from unsubscribe params. Clients often repeat all params of their
 * subscribe; unsubscribe ignores options.
 */
function withoutOptions(params: readonly unknown[]): readonly unknown[] {
  const last = params.at(-1)
  const isObject = typeof last === 'object' && last !== null && !Array.isArray(last)
  // An object right after the topic may be a filter, so it is kept.
  return isObject && params.length > 2 ? params.slice(0, -1) : params
}

function echoRejected({ param, reason }: RejectedItem): RejectedItem {
  return { param: echoableParam(param), reason }
}

function allItemsRejected(rejected: readonly RejectedItem[]): RpcOutcome {
  const reason = rejected[0]?.reason ?? 'no item is named'
  return {
    fault: {
      code: rpcErrorCodes.invalidParams,
      message: `No item in params can be used: ${reason}.`,
      data: { code: 'invalid_param', param: 'params', rejected },
    },
  }
}

function paramsFault(): RpcOutcome {
  return {
    fault: {
      code: rpcErrorCodes.invalidParams,
      message:
        'The member params must be an array that begins with a topic, such as ["price", ["TOKEN-CHAIN"]].',
      data: { code: 'invalid_param', param: 'params' },
    },
  }
}
