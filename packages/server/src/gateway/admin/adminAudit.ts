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

/** Writes down who did what with the admin API, and who tried to. Keys themselves are never written. */
type AdminAudit = {
  /** The admin key is missing or wrong. Gives the error that the caller gets. */
  refused(exchange: Exchange, error: unknown): unknown
  /** The admin key is right; `madeId` is the key that was made, if one was. */
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
      // Who goes on trying is counted and not written down each time.
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

/** A check that lets only the admin key pass. */
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
