import { randomBytes } from 'node:crypto'
import { errorSpecs } from '@chaintape/protocol'
import type { Logger } from '../../lib/logger.ts'
import type { AnonymousClients } from '../clients/anonymousClients.ts'
import type { RpcId } from '../feed/push.ts'
import { RequestError } from '../ground/errors.ts'
import { jsonContentType } from '../ground/jsonBody.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { Caller, KeyAccess } from '../keys/keyAccess.ts'
import { operations } from '../rest/operations.ts'
import { toRequestError } from './answer/errorAnswer.ts'
import type { Exchange } from './answer/exchange.ts'
import {
  type InvalidRequest,
  limitExceededError,
  parseJsonRpc,
  type RpcCall,
  type RpcErrorBody,
  rpcErrorCodes,
  rpcErrorOf,
} from './jsonRpc.ts'
import { requireApiKey } from './requireApiKey.ts'
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

export const mcpNotInstalled =
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
  anonymousClients: AnonymousClients
  scheduler: Scheduler
  mcpTickets: McpTickets
  logger: Logger
}

type Fault = { type: 'fault'; id: RpcId | null; fault: RpcErrorBody; status: number }
type Messages = { isBatch: boolean; messages: readonly (RpcCall | Fault)[] }

type MessageContext = {
  service: McpService | null
  exchange: Exchange
  caller: Caller
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
const protocolCharge = { id: 'mcp', cost: 0 }
const operationsById = new Map(operations.map((operation) => [operation.id, operation]))

/**
 * Creates the handler of POST /mcp. Each message is admitted and charged like a request to the
 * operation that it calls.
 */
export function createMcpRoute(load: LoadMcp, options: McpRouteOptions): RequestHandler {
  const { scheduler, anonymousClients, mcpTickets, logger } = options

  async function serve(exchange: Exchange, caller: Caller): Promise<void> {
    const { isBatch, messages } = parseMessages(exchange.body)
    const service = await load()
    const place = scheduler.newPosition()
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
    if (isOverRate(last)) anonymousClients.refuseLater(() => send(exchange, answers, isBatch))
    else send(exchange, answers, isBatch)
  }

  async function answerOf(
    message: RpcCall | Fault,
    { service, exchange, caller, place }: MessageContext,
  ): Promise<MessageAnswer> {
    const reached = message.type === 'call' ? service?.operationOf(message) : undefined
    const operation = reached === undefined ? undefined : operationsById.get(reached)
    const { id, cost } = operation ?? protocolCharge
    try {
      await caller.admit(cost, id)
    } catch (error) {
      return refusal(message.id, error)
    }
    if (message.type === 'fault') return faultAnswer(message.id, message.fault, message.status)
    if (service === null)
      return refusal(message.id, new RequestError('not_found', mcpNotInstalled, 'path'))
    // Yields the event loop to blocks and other callers between two answers.
    await scheduler.nextSlot(place)
    const ticket = operation === undefined ? {} : mcpTickets.issue(id)
    try {
      return await readAnswer(
        await service.answer(mcpCallOf(exchange, message, ticket)),
        message.id,
      )
    } catch (error) {
      logger.error({ msg: 'Failed to answer an MCP message', method: message.method, err: error })
      return refusal(message.id, error)
    } finally {
      // An unused ticket means that the message failed before it reached the operation, so its cost
      // is refunded.
      if (mcpTickets.cancel(ticket)) caller.refund(cost, id)
    }
  }

  return requireApiKey({ ...options, readKey: readMcpKey }, (exchange, caller) => {
    exchange.isAnonymous = false
    serve(exchange, caller).catch((error) => exchange.sendError([], error))
  })
}

/** Returns the API key of an MCP request. MCP clients send the key as a bearer token. */
function readMcpKey({ apiKey, request }: Exchange): string | undefined {
  return apiKey ?? /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

function parseMessages(body: Uint8Array | null): Messages {
  const { batchMessagesMax: max } = mcpLimits
  const parsed = parseJsonRpc(Buffer.from(body ?? []).toString(), max)
  if (parsed === null)
    return onlyFault({ code: rpcErrorCodes.notJson, message: 'The body is not valid JSON.' }, 400)
  if ('tooMany' in parsed) {
    const sentence = `A batch may hold ${max} messages, this batch has ${parsed.tooMany}; send smaller batches.`
    const { httpStatus } = errorSpecs.limit_exceeded
    return onlyFault(limitExceededError('mcp_batch_messages_max', max, sentence), httpStatus)
  }
  const faultIn = ({ id, reason }: InvalidRequest): Fault => {
    const fault = { code: rpcErrorCodes.invalidRequest, message: reason }
    return { type: 'fault', id, fault, status: 400 }
  }
  const messages = parsed.parts.map((part) => (part.type === 'call' ? part : faultIn(part)))
  return { isBatch: parsed.isBatch, messages }
}

function onlyFault(fault: RpcErrorBody, status: number): Messages {
  return { isBatch: false, messages: [{ type: 'fault', id: null, fault, status }] }
}

function mcpCallOf(exchange: Exchange, call: RpcCall, ticket: McpCall['headers']): McpCall {
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
    apiKey: readMcpKey(exchange)!,
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
  return faultAnswer(id, limitExceededError('mcp_answer_bytes_max', max, sentence), 200)
}

function refusal(id: Fault['id'] | undefined, error: unknown): MessageAnswer {
  const fault = toRequestError(error)
  const { httpStatus } = errorSpecs[fault.wireCode]
  return {
    ...faultAnswer(id, rpcErrorOf(fault), httpStatus),
    retryAfterS: fault.retryAfterS,
    fault,
  }
}

function isOverRate(answer: MessageAnswer | undefined): answer is Required<MessageAnswer> {
  return answer?.fault?.wireCode === 'rate_limited'
}

function faultAnswer(
  id: Fault['id'] | undefined,
  error: RpcErrorBody,
  status: number,
): MessageAnswer {
  return { status, text: JSON.stringify({ jsonrpc: '2.0', id, error }) }
}

/**
 * Sends the answers to all messages. A batch of which only some messages failed has the status 200.
 */
function send(exchange: Exchange, answers: readonly MessageAnswer[], isBatch: boolean): void {
  if (answers.length === 0) {
    exchange.sendRaw({ status: 202, fields: [], bytes: null })
    return
  }
  const statuses = new Set(answers.map(({ status }) => status))
  const retryAfterS = Math.max(...answers.map(({ retryAfterS = 0 }) => retryAfterS))
  if (retryAfterS > 0) exchange.setHeader('retry-after', `${retryAfterS}`)
  const texts = answers.map(({ text }) => text)
  exchange.sendRaw({
    status: statuses.size === 1 ? answers[0]!.status : 200,
    fields: ['content-type', jsonContentType],
    bytes: Buffer.from(isBatch ? `[${texts.join()}]` : texts[0]!),
  })
}

/** Header that carries a ticket. */
const ticketField = 'x-chaintape-ticket'

/**
 * Tickets for operations that /mcp has charged before its tools request them over REST. A ticket
 * pays for one request, is random, and never leaves the service.
 */
export type McpTickets = {
  /** Creates a ticket. Returns the header that the REST request must carry. */
  issue(operationId: string): Readonly<Record<string, string>>
  /** Returns whether the request's ticket pays for this operation, and uses up the ticket. */
  redeem(exchange: Exchange, operationId: string): boolean
  /** Cancels a ticket. Returns false if the ticket was already used. */
  cancel(ticket: Readonly<Record<string, string>>): boolean
}

export function createMcpTickets(): McpTickets {
  const operationIds = new Map<string, string>()
  return {
    issue(operationId) {
      const ticket = randomBytes(16).toString('hex')
      operationIds.set(ticket, operationId)
      return { [ticketField]: ticket }
    },
    redeem({ request }, operationId) {
      const ticket = request.headers[ticketField]
      if (ticket === undefined || operationIds.get(String(ticket)) !== operationId) return false
      return operationIds.delete(String(ticket))
    },
    cancel: ({ [ticketField]: ticket }) => operationIds.delete(ticket!),
  }
}
