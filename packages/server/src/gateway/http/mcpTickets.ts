import { randomBytes } from 'node:crypto'
import type { Exchange } from './answer/exchange.ts'

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
