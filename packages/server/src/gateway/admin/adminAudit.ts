import type { IncomingMessage } from 'node:http'
import type { Logger } from '../../lib/logger.ts'
import type { Clients } from '../clients/clients.ts'
import { isRateLimited } from '../clients/strangers.ts'
import { RequestError } from '../errors.ts'
import type { Exchange } from '../http/answer/exchange.ts'
import { createSecretTest } from '../keys/apiKey.ts'

export type AdminContext = {
  clients: Pick<Clients, 'addresses' | 'strangers'>
  logger: Logger
}

/**
 * Logs every admin action and every refused admin request. API keys and the admin key are never
 * logged.
 */
type AdminAudit = {
  /**
   * Records a missing or wrong admin key. Returns the error to send: `error`, or a rate-limit error
   * once the address is over its limit.
   */
  refused(exchange: Exchange, error: unknown): unknown
  /**
   * Records an admin action that passed authentication. `madeId` is the id of an API key that the
   * action created.
   */
  answered(exchange: Exchange, status: number, madeId: number | null): void
}

export function createAudit({ clients, logger }: AdminContext): AdminAudit {
  const audit = logger.child({ log: 'audit' })
  const factsOf = ({ method, route, request }: Exchange) => ({
    action: `${method} ${route}`,
    address: clients.addresses.ofRequest(request),
  })

  return {
    refused(exchange, error) {
      const over = clients.strangers.overLimit(exchange.request, 'failedAdminKey')
      // Over the limit, refused requests are only counted: logging each of them would let an
      // attacker flood the log.
      if (!isRateLimited(over)) audit.warn({ msg: 'Admin key refused', ...factsOf(exchange) })
      return over ?? error
    },
    answered(exchange, status, madeId) {
      const { id } = exchange
      const facts = {
        ...factsOf(exchange),
        status,
        ...(id === '' ? {} : { id }),
        ...(madeId === null ? {} : { madeId }),
      }
      if (status < 400) audit.info({ msg: 'Admin action', ...facts })
      else audit.warn({ msg: 'Admin action failed', ...facts })
    },
  }
}

const header = 'X-ADMIN-KEY'

/** Returns a check that throws unless the request carries the admin key. */
export function createAdminAuth(adminKey: string): (request: IncomingMessage) => void {
  const isAdminKey = createSecretTest(adminKey)
  return ({ headers }) => {
    const given = headers['x-admin-key']
    if (given === undefined || given === '')
      throw new RequestError('missing_key', `Send the admin key in the ${header} header.`, header)
    if (!isAdminKey(String(given)))
      throw new RequestError('invalid_key', 'This is not the admin key.', header)
  }
}
