import { errorSpecs } from '@chaintape/protocol'
import type { Logger } from '../../../lib/logger.ts'
import { RequestError } from '../../errors.ts'
import type { Steps } from '../../turns/steps.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { WsStats } from '../wsStats.ts'
import { parseRpc, type RpcCall, type RpcInvalid } from './jsonRpc.ts'
import {
  encodeAnswer,
  faultOf,
  limitFault,
  type RpcFault,
  type RpcOutcome,
  rpcCodes,
} from './rpcAnswer.ts'
import { callMethod, type RpcContext } from './rpcMethods.ts'

type AnswerContext = Omit<RpcContext, 'toStart'> & {
  stats: WsStats
  logger: Logger
  batchCallsMax: number
  /**
   * Takes one message from the connection's rate limit. Returns false once the limit is exceeded.
   */
  takeRate(): boolean
  /** Called for each call or message that is answered with an error. */
  onRefused(): void
}

export type Answer = {
  /** JSON-RPC response to send. Null if the message held only notifications. */
  text: string | null
  /** Subscriptions to start once the response is queued. */
  toStart: readonly Subscription[]
}

/**
 * Answers one WebSocket message, valid or not. A message over the rate limit is refused without
 * parsing. Never throws.
 */
export function* answerMessage(data: Buffer, context: AnswerContext): Steps<Answer> {
  const { stats, batchCallsMax } = context
  stats.messages += 1
  if (!context.takeRate()) return yield* refused(rateFault(context), context)
  const message = parseRpc(data.toString('utf8'), batchCallsMax)
  // Yields, because parsing a long message can fill a scheduler slot.
  yield
  if (message === null)
    return yield* refused({ code: rpcCodes.notJson, message: 'The message is not JSON.' }, context)
  if ('tooMany' in message)
    return yield* refused(batchFault(message.tooMany, batchCallsMax), context)
  const { isBatch, parts } = message
  const toStart: Subscription[] = []
  const answers: string[] = []
  for (const [at, part] of parts.entries()) {
    if (at > 0) yield
    // The rate limit already charged the first call with its message.
    const isTaken = at === 0 || context.takeRate()
    const outcome = isTaken
      ? yield* outcomeOf(part, context, toStart)
      : { fault: rateFault(context) }
    if ('fault' in outcome) context.onRefused()
    if (part.id !== undefined) answers.push(yield* encodeAnswer(part.id, outcome))
  }
  if (answers.length === 0) return { text: null, toStart }
  return { text: isBatch ? `[${answers.join()}]` : answers[0]!, toStart }
}

function* refused(fault: RpcFault, { onRefused }: AnswerContext): Steps<Answer> {
  onRefused()
  return { text: yield* encodeAnswer(null, { fault }), toStart: [] }
}

function* outcomeOf(
  part: RpcCall | RpcInvalid,
  context: AnswerContext,
  toStart: Subscription[],
): Steps<RpcOutcome> {
  if (part.type === 'invalid')
    return { fault: { code: rpcCodes.invalidRequest, message: part.reason } }
  try {
    return yield* callMethod(part, { ...context, toStart })
  } catch (error) {
    if (error instanceof RequestError) return { fault: faultOf(error) }
    context.logger.error({ msg: 'Failed to answer a call', method: part.method, err: error })
    return {
      fault: faultOf(new RequestError('internal', 'The service failed to answer this call.')),
    }
  }
}

function batchFault(count: number, max: number): RpcFault {
  return limitFault('batch_calls_max', max, `A batch may hold ${max} calls, this one has ${count}.`)
}

function rateFault({ stats, plan }: AnswerContext): RpcFault {
  stats.rateLimited += 1
  const max = plan.messagesPerS ?? 0
  return {
    code: errorSpecs.rate_limited.rpcCode,
    message: `Your plan allows ${max} messages a second on one connection.`,
    data: { code: 'rate_limited', limit: 'messages_per_s', max },
  }
}
