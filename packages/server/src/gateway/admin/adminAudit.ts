import type { FastifyRequest } from 'fastify'
import type { Logger } from '../../lib/logger.ts'
import type { Clients } from '../clients/clients.ts'
import { isRateLimited } from '../clients/strangers.ts'

export type AdminContext = {
  clients: Pick<Clients, 'addresses' | 'strangers'>
  logger: Logger
}

/** Writes down who did what with the admin API, and who tried to. Keys themselves are never written. */
export type AdminAudit = {
  /** The admin key is missing or wrong. Gives what the caller is told. */
  refused(request: FastifyRequest, error: unknown): unknown
  /** The admin key is right. */
  begun(request: FastifyRequest): void
  /** The request has made this key. */
  about(request: FastifyRequest, keyId: number): void
  answered(request: FastifyRequest, status: number): void
}

type Action = { keyId: number | null }

export function createAudit({ clients, logger }: AdminContext): AdminAudit {
  const audit = logger.child({ log: 'audit' })
  const underWay = new WeakMap<FastifyRequest, Action>()
  const addressOf = ({ raw }: FastifyRequest) => clients.addresses.ofRequest(raw)
  const actionOf = ({ method, routeOptions }: FastifyRequest) => `${method} ${routeOptions.url}`

  return {
    refused(request, error) {
      const over = clients.strangers.overLimit(request.raw, 'failedAdminKey')
      // Who goes on trying is counted and not written down each time.
      if (!isRateLimited(over))
        audit.warn({
          ...{ msg: 'Admin key refused', action: actionOf(request), address: addressOf(request) },
        })
      return over ?? error
    },
    begun: (request) => void underWay.set(request, { keyId: null }),
    about: (request, keyId) => void underWay.set(request, { keyId }),
    answered(request, status) {
      const action = underWay.get(request)
      if (action === undefined) return
      const { id } = (request.params ?? {}) as { id?: string }
      const facts = {
        ...{ action: actionOf(request), address: addressOf(request), status },
        ...(id === undefined ? {} : { id }),
        ...(action.keyId === null ? {} : { madeId: action.keyId }),
      }
      if (status < 400) audit.info({ msg: 'Admin action', ...facts })
      else audit.warn({ msg: 'Admin action failed', ...facts })
    },
  }
}
