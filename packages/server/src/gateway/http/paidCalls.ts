import { randomBytes } from 'node:crypto'
import type { Exchange } from './answer/exchange.ts'

/** The header that carries a ticket. */
const ticketField = 'x-chaintape-ticket'

/**
 * Operations that /mcp admitted before its tools ask this service for them. A ticket pays for one request; it is random
 * and never leaves the service.
 */
export type PaidCalls = {
  /** Returns the header that the request is to carry. */
  issue(operationId: string): Readonly<Record<string, string>>
  /** Whether this request is paid for. Uses up its ticket. */
  redeem(exchange: Exchange, operationId: string): boolean
  /** Takes a ticket back. False: it was used. */
  cancel(ticket: Readonly<Record<string, string>>): boolean
}

export function createPaidCalls(): PaidCalls {
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
