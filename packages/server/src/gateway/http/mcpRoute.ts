import { errorSpecs } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import type { Strangers } from '../clients/strangers.ts'
import { RequestError } from '../errors.ts'
import type { RpcId } from '../feed/push.ts'
import type { KeyAccess, KeyHolder } from '../keys/keyAccess.ts'
import { operations } from '../operations.ts'
import type { Turns } from '../turns/turns.ts'
import {
  faultOf,
  limitFault,
  parseRpc,
  type RpcCall,
  type RpcFault,
  type RpcInvalid,
  rpcCodes,
} from '../ws/jsonRpc.ts'
import { toRequestError } from './answer/errorBody.ts'
import type { Exchange } from './answer/exchange.ts'
import { jsonType } from './answer/jsonBody.ts'
import { createKeyGate } from './keyGate.ts'
import type { PaidCalls } from './paidCalls.ts'
import type { RequestHandler } from './router.ts'

/** One message of the Model Context Protocol, from a caller with a working key. */
export type McpCall = {
  /** URL of this service, to which the message's REST request goes. */
  url: string
  apiKey: string
  /** Headers for the message's REST request, which mark the request as paid for. */
  headers: Readonly<Record<string, string>>
  request: Request
}

/** The interface of the package @chaintape/mcp that the server uses. */
export type McpService = {
  /** Returns the id of the operation that a message calls and is charged for, or undefined. */
  operationOf(message: { method: string; params?: unknown }): string | undefined
  answer(call: McpCall): Promise<Response>
}

/** Loads the package @chaintape/mcp. Resolves to null if the package is not installed. */
export type LoadMcp = () => Promise<McpService | null>

export const mcpMissing =
  'The Model Context Protocol is not installed here: add the package @chaintape/mcp (npm install @chaintape/mcp) and restart.'

/** Limits of /mcp, the same for every plan. */
export const mcpLimits = {
  /** Messages in one batch. */
  batchMessagesMax: 10,
  /** Size of the answer to one message: twice the longest document. */
  answerBytesMax: 262_144,
} as const

type McpRouteOptions = {
  keys: KeyAccess
  strangers: Strangers
  turns: Turns
  paidCalls: PaidCalls
  logger: Logger
}

type Fault = { type: 'fault'; id: RpcId | null; fault: RpcFault; status: number }
type Messages = { isBatch: boolean; messages: readonly (RpcCall | Fault)[] }

type MessageContext = {
  service: McpService | null
  exchange: Exchange
  caller: KeyHolder
  place: number
}

type MessageAnswer = {
  status: number
  text: string
  retryAfterS?: number | undefined
  /** Reason why the message was refused. @default undefined: it was answered */
  fault?: RequestError | undefined
}

/** Charge of a message that calls no operation: one request of the rate limit, and no credits. */
const protocolCall = { id: 'mcp', cost: 0 }
const operationsById = new Map(operations.map((operation) => [operation.id, operation]))

/**
 * Creates the handler of POST /mcp. Each message is admitted and charged like a request to the
 * operation that it calls.
 */
export function createMcpRoute(load: LoadMcp, options: McpRouteOptions): RequestHandler {
  const { turns, strangers, paidCalls, logger } = options

  async function serve(exchange: Exchange, caller: KeyHolder): Promise<void> {
    const { isBatch, messages } = messagesIn(exchange.body)
    const service = await load()
    const place = turns.place()
    const answers: MessageAnswer[] = []
    let last: MessageAnswer | undefined
    for (const message of messages) {
      // Notifications are skipped: without sessions, they change nothing.
      if (message.type === 'call' && message.id === undefined) continue
      // Once a message is over the rate limit, so are all later messages of the batch. They are
      // refused unchecked, because refusing must cost almost nothing.
      last = isOverRate(last)
        ? refusal(message.id, last.fault)
        : await answerOf(message, { service, exchange, caller, place })
      answers.push(last)
    }
    // The refusal is delayed: a caller that retries at once would cost more than its requests.
    if (isOverRate(last)) strangers.later(() => send(exchange, answers, isBatch))
    else send(exchange, answers, isBatch)
  }

  async function answerOf(
    message: RpcCall | Fault,
    { service, exchange, caller, place }: MessageContext,
  ): Promise<MessageAnswer> {
    const reached = message.type === 'call' ? service?.operationOf(message) : undefined
    const operation = reached === undefined ? undefined : operationsById.get(reached)
    const { id, cost } = operation ?? protocolCall
    try {
      await caller.admit(cost, id)?.confirmed
    } catch (error) {
      return refusal(message.id, error)
    }
    if (message.type === 'fault') return faultAnswer(message.id, message.fault, message.status)
    if (service === null)
      return refusal(message.id, new RequestError('not_found', mcpMissing, 'path'))
    // Yields the event loop to blocks and other callers between two answers.
    await turns.next(place)
    const ticket = operation === undefined ? {} : paidCalls.issue(id)
    try {
      return await readAnswer(await service.answer(callOf(exchange, message, ticket)), message.id)
    } catch (error) {
      logger.error({ msg: 'Failed to answer an MCP message', method: message.method, err: error })
      return refusal(message.id, error)
    } finally {
      // An unused ticket means that the message failed before it reached the operation, so its cost
      // is refunded.
      if (paidCalls.cancel(ticket)) caller.refund(cost, id)
    }
  }

  return createKeyGate({ ...options, keyTextOf }, (exchange, caller) => {
    exchange.isStranger = false
    serve(exchange, caller).catch((error) => exchange.refuse([], error))
  })
}

/** Returns the API key of an MCP request. MCP clients send the key as a bearer token. */
function keyTextOf({ apiKey, request }: Exchange): string | undefined {
  return apiKey ?? /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

function messagesIn(body: Uint8Array | null): Messages {
  const { batchMessagesMax: max } = mcpLimits
  const parsed = parseRpc(Buffer.from(body ?? []).toString(), max)
  if (parsed === null)
    return faultOfAll({ code: rpcCodes.notJson, message: 'The body is not valid JSON.' }, 400)
  if ('tooMany' in parsed) {
    const sentence = `A batch may hold ${max} messages, this batch has ${parsed.tooMany}; send smaller batches.`
    const { httpStatus } = errorSpecs.limit_exceeded
    return faultOfAll(limitFault('mcp_batch_messages_max', max, sentence), httpStatus)
  }
  const faultIn = ({ id, reason }: RpcInvalid): Fault => {
    const fault = { code: rpcCodes.invalidRequest, message: reason }
    return { type: 'fault', id, fault, status: 400 }
  }
  const messages = parsed.parts.map((part) => (part.type === 'call' ? part : faultIn(part)))
  return { isBatch: parsed.isBatch, messages }
}

function faultOfAll(fault: RpcFault, status: number): Messages {
  return { isBatch: false, messages: [{ type: 'fault', id: null, fault, status }] }
}

function callOf(exchange: Exchange, call: RpcCall, ticket: McpCall['headers']): McpCall {
  const { request } = exchange
  const { localAddress = '127.0.0.1', localPort } = request.socket
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  const url = `http://${host}:${localPort}`
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && /^(accept|content-type|mcp-.+)$/.test(name))
      headers.set(name, value)
  const { id, method, params } = call
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  return {
    url,
    apiKey: keyTextOf(exchange)!,
    headers: ticket,
    request: new Request(`${url}/mcp`, { method: 'POST', headers, body }),
  }
}

async function readAnswer(response: Response, id: Fault['id'] | undefined): Promise<MessageAnswer> {
  const text = await response.text()
  const { answerBytesMax: max } = mcpLimits
  const bytes = Buffer.byteLength(text)
  if (bytes <= max) return { status: response.status, text }
  const sentence = `The answer has ${bytes} bytes, more than ${max}: ask for less.`
  return faultAnswer(id, limitFault('mcp_answer_bytes_max', max, sentence), 200)
}

function refusal(id: Fault['id'] | undefined, error: unknown): MessageAnswer {
  const fault = toRequestError(error)
  const { httpStatus } = errorSpecs[fault.wireCode]
  return { ...faultAnswer(id, faultOf(fault), httpStatus), retryAfterS: fault.retryAfterS, fault }
}

function isOverRate(answer: MessageAnswer | undefined): answer is Required<MessageAnswer> {
  return answer?.fault?.wireCode === 'rate_limited'
}

function faultAnswer(id: Fault['id'] | undefined, error: RpcFault, status: number): MessageAnswer {
  return { status, text: JSON.stringify({ jsonrpc: '2.0', id, error }) }
}

/**
 * Sends the answers to all messages. A batch of which only some messages failed has the status 200.
 */
function send(exchange: Exchange, answers: readonly MessageAnswer[], isBatch: boolean): void {
  if (answers.length === 0) {
    exchange.content({ status: 202, fields: [], bytes: null })
    return
  }
  const statuses = new Set(answers.map(({ status }) => status))
  const retryAfterS = Math.max(...answers.map(({ retryAfterS = 0 }) => retryAfterS))
  if (retryAfterS > 0) exchange.field('retry-after', `${retryAfterS}`)
  const texts = answers.map(({ text }) => text)
  exchange.content({
    status: statuses.size === 1 ? answers[0]!.status : 200,
    fields: ['content-type', jsonType],
    bytes: Buffer.from(isBatch ? `[${texts.join()}]` : texts[0]!),
  })
}
