import type { Feed, FeedItem, FeedRequest } from '../../feed/feed.ts'
import type { RpcId } from '../../feed/push.ts'
import type { Plan } from '../../keys/plan.ts'
import { itemsPerStep, type Steps } from '../../turns/steps.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { SubscriptionBudget } from '../subscriptions/subscriptionBudget.ts'
import type { SubscriptionSet } from '../subscriptions/subscriptionSet.ts'
import type { RpcCall } from './jsonRpc.ts'
import { echo, limitFault, type Rejected, type RpcOutcome, rpcCodes } from './rpcAnswer.ts'

/**
 * State that a JSON-RPC method reads and changes: feed, plan and subscriptions of the connection.
 */
export type RpcContext = {
  feed: Feed
  plan: Plan
  subscriptions: SubscriptionSet
  budget: SubscriptionBudget
  /** Output of `subscribe`: subscriptions to start once the response is queued. */
  toStart: Subscription[]
}

/** Runs one JSON-RPC method. Throws RequestError if the feed rejects the params. */
export function* callMethod(
  { method, params, id }: RpcCall,
  context: RpcContext,
): Steps<RpcOutcome> {
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
          code: rpcCodes.unknownMethod,
          message: 'There is no such method; these are: subscribe, unsubscribe, ping.',
        },
      }
  }
}

function* subscribe(params: readonly unknown[], id: RpcId, context: RpcContext): Steps<RpcOutcome> {
  const { feed, subscriptions, toStart } = context
  const request = yield* feed.parse(params)
  const rejected = request.rejected.map(echoRejected)
  if (request.items.length === 0) return nothingUsable(rejected)
  yield
  const added = request.items.filter(({ key }) => !subscriptions.has(key))
  const overLimit = limitOf(request, added, context)
  if (overLimit !== null) return overLimit
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

/**
 * Returns the error for the first limit that a subscribe request would exceed, or null. A request
 * over a limit is refused as a whole.
 */
function limitOf(
  { topic, items, rejected }: FeedRequest,
  added: readonly FeedItem[],
  { plan, subscriptions, budget }: RpcContext,
): RpcOutcome | null {
  const { priceIdsMax, subscriptionsMax } = plan
  const idCount = items.length + rejected.length
  if (topic === 'price' && priceIdsMax !== null && idCount > priceIdsMax)
    return {
      fault: limitFault(
        'price_ids_max',
        priceIdsMax,
        `One price subscribe may name ${priceIdsMax} ids on your plan, this one has ${idCount}.`,
      ),
    }
  if (subscriptionsMax !== null && subscriptions.size + added.length > subscriptionsMax)
    return {
      fault: limitFault(
        'subscriptions_max',
        subscriptionsMax,
        `One connection may hold ${subscriptionsMax} subscriptions on your plan; unsubscribe from some, or open another.`,
      ),
    }
  const broken = budget.brokenBy(subscriptions.keyId, added)
  if (broken === null) return null
  const { limit, max, ofKey } = broken
  const whose = ofKey ? 'Your key has' : 'This service has'
  return {
    fault: limitFault(limit, max, `${whose} as many subscriptions as it may (${limit}).`),
  }
}

// Unsubscribed items listed in one response. So long a list takes a megabyte, more than any client
// reads.
const namedMax = 10_000

function* unsubscribe(
  params: readonly unknown[],
  { feed, subscriptions }: RpcContext,
): Steps<RpcOutcome> {
  if (params.length === 0) {
    const unsubscribed = subscriptions.params(namedMax)
    const count = subscriptions.size
    subscriptions.clear()
    // The response lists at most `namedMax` items. If more were unsubscribed, it also has their
    // number.
    const counted = count > namedMax ? { unsubscribed_count: count } : {}
    return { result: { status: 'ok', unsubscribed, ...counted, rejected: [] } }
  }
  const request = yield* feed.parse(withoutOptions(params))
  const unsubscribed: unknown[] = []
  const rejected = request.rejected.map(echoRejected)
  for (const [at, { key, param }] of request.items.entries()) {
    if (at % itemsPerStep === itemsPerStep - 1) yield
    if (subscriptions.remove(key)) unsubscribed.push(param)
    else rejected.push({ param: echo(param), reason: 'not subscribed' })
  }
  if (unsubscribed.length === 0) return nothingUsable(rejected)
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

function echoRejected({ param, reason }: Rejected): Rejected {
  return { param: echo(param), reason }
}

function nothingUsable(rejected: readonly Rejected[]): RpcOutcome {
  const reason = rejected[0]?.reason ?? 'nothing is named'
  return {
    fault: {
      code: rpcCodes.invalidParams,
      message: `Nothing in params can be used: ${reason}.`,
      data: { code: 'invalid_param', param: 'params', rejected },
    },
  }
}

function paramsFault(): RpcOutcome {
  return {
    fault: {
      code: rpcCodes.invalidParams,
      message: 'The member params must be an array that begins with a topic.',
      data: { code: 'invalid_param', param: 'params' },
    },
  }
}
