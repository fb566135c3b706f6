import { errorSpecs } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import { RequestError } from '../errors.ts'
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
import type { Subscription } from './subscription.ts'
import type { WsStats } from './wsStats.ts'

export type AnswerContext = Omit<RpcContext, 'toStart'> & {
  stats: WsStats
  logger: Logger
  batchCallsMax: number
  /** Takes one call from the rate; false: too many. */
  takeRate(): boolean
}

export type Answer = {
  /** Null: nothing is to be answered. */
  text: string | null
  /** What becomes live once the answer is on its way. */
  toStart: readonly Subscription[]
}

/** Answers one message, whatever it holds. Never throws. */
export function answerMessage(text: string, context: AnswerContext): Answer {
  const { stats, batchCallsMax } = context
  stats.messages += 1
  const message = parseRpc(text)
  if (message === null)
    return refused(
      context.takeRate()
        ? { code: rpcCodes.notJson, message: 'The message is not JSON.' }
        : rateFault(context),
    )
  const { isBatch, parts } = message
  if (parts.length > batchCallsMax)
    return refused(
      context.takeRate() ? batchFault(parts.length, batchCallsMax) : rateFault(context),
    )
  const toStart: Subscription[] = []
  const answers: string[] = []
  for (const part of parts) {
    const outcome = outcomeOf(part, context, toStart)
    if (part.id !== undefined) answers.push(encodeAnswer(part.id, outcome))
  }
  if (answers.length === 0) return { text: null, toStart }
  return { text: isBatch ? `[${answers.join()}]` : answers[0]!, toStart }
}

function refused(fault: RpcFault): Answer {
  return { text: encodeAnswer(null, { fault }), toStart: [] }
}

function outcomeOf(
  part: RpcCall | RpcInvalid,
  context: AnswerContext,
  toStart: Subscription[],
): RpcOutcome {
  if (!context.takeRate()) return { fault: rateFault(context) }
  if (part.type === 'invalid')
    return { fault: { code: rpcCodes.invalidRequest, message: part.reason } }
  try {
    return callMethod(part, { ...context, toStart })
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
