import type { IncomingMessage } from 'node:http'
import { errorSpecs, keyBody, type NodesBody } from '@chaintape/protocol'
import type { Logger } from '../../../lib/logger.ts'
import type { GatewayChain, GatewayChains, NodeStatus } from '../../chain/gatewayChain.ts'
import { isRateLimited } from '../../clients/anonymousClients.ts'
import type { Clients } from '../../clients/clients.ts'
import { RequestError, UnknownPlanError } from '../../ground/errors.ts'
import { createSecretCheck } from '../../keys/apiKey.ts'
import type { KeyAdmin, ListedKey } from '../../keys/keyAdmin.ts'
import { fallbackPlanName, type Plan } from '../../keys/plan.ts'
import { usageBody } from '../../rest/service/usage.ts'
import { toRequestError } from '../answer/errorAnswer.ts'
import { type Exchange, jsonAnswer } from '../answer/exchange.ts'
import type { PublicRoute } from '../publicRoute.ts'
import type { Method, Router } from '../router.ts'
import {
  defaultGraceS,
  parseAdminBody,
  parseAdminKeyId,
  readSecondsMember,
  readTextMember,
} from './adminInputs.ts'

export type AdminRoutesOptions = {
  /** The configured admin key. Undefined disables the admin API. */
  adminKey: string | undefined
  keys: KeyAdmin
  plans: ReadonlyMap<string, Plan>
}

/** Result of an admin action. `madeId` is the id of an API key that the action created. */
type AdminResult = { status?: number; body: object; madeId?: number }

/**
 * Adds the admin routes: API keys, and the full errors of nodes. All of them require the admin key.
 */
export function addAdminRoutes(
  router: Router,
  openRoute: PublicRoute,
  options: AdminRoutesOptions,
  { chains, ...context }: AdminContext & { chains: GatewayChains },
): void {
  const { adminKey, keys } = options
  if (adminKey === undefined) return
  const audit = createAdminAudit(context)
  const authenticate = createAdminAuth(adminKey)

  /**
   * Adds one admin route. Requests with a wrong admin key count toward the anonymous limits of
   * their address.
   */
  function add(
    method: Method,
    path: string,
    run: (exchange: Exchange) => Promise<AdminResult>,
  ): void {
    const answer = async (exchange: Exchange) => {
      exchange.setHeader('cache-control', 'no-store')
      try {
        authenticate(exchange.request)
      } catch (error) {
        throw audit.refused(exchange, error)
      }
      try {
        const { status = 200, body, madeId = null } = await run(exchange)
        audit.answered(exchange, status, madeId)
        return jsonAnswer(body, status)
      } catch (error) {
        audit.answered(exchange, errorSpecs[toRequestError(error).wireCode].httpStatus, null)
        throw error
      }
    }
    router.add(method, path, openRoute(answer, { isUnlimited: true }))
  }

  add('POST', '/admin/keys', async (exchange) => {
    const body = parseAdminBody(exchange.body)
    const plan = readTextMember(body, 'plan', null)
    const name = readTextMember(body, 'name', '')
    const expiresInS = readSecondsMember(body, 'expires_in', { min: 1, fallback: null })
    const made = await keys.create({ name, plan, expiresInS }).catch(rethrowPlan)
    return { status: 201, body: { key: made.key, ...keyBody(made) }, madeId: made.id }
  })
  add('GET', '/admin/keys', async () => ({ body: { keys: (await keys.list()).map(wireListed) } }))
  add('POST', '/admin/keys/{id}/rotate', async (exchange) => {
    const id = parseAdminKeyId(exchange.id)
    const grace = readSecondsMember(parseAdminBody(exchange.body), 'grace', {
      min: 0,
      fallback: defaultGraceS,
    })
    const made = requireKey(await keys.rotate(id, grace), id)
    const body = { key: made.key, ...keyBody(made), replaces: id }
    return { status: 201, body, madeId: made.id }
  })
  add('POST', '/admin/keys/{id}/expire', async (exchange) => {
    const id = parseAdminKeyId(exchange.id)
    const inS = readSecondsMember(parseAdminBody(exchange.body), 'in', { min: 0, fallback: 0 })
    return { body: keyBody(requireKey(await keys.expire(id, inS), id)) }
  })
  add('POST', '/admin/keys/{id}/revoke', async (exchange) => {
    const id = parseAdminKeyId(exchange.id)
    return { body: keyBody(requireKey(await keys.revoke(id), id)) }
  })
  add('GET', '/admin/keys/{id}/usage', async (exchange) => {
    const id = parseAdminKeyId(exchange.id)
    const { plan, ...usage } = requireKey(await keys.usage(id), id)
    const inForce = plan ?? options.plans.get(fallbackPlanName)!
    return { body: usageBody({ ...usage, plan: inForce, requestsLeft: null }) }
  })
  add('GET', '/admin/nodes', async () => ({ body: nodesBody(chains) }))
}

function nodesBody(chains: GatewayChains): NodesBody {
  const nodesOf = ([chain, { status }]: [string, GatewayChain]) => {
    const { error = null, endpoints = [] } = status().nodes ?? {}
    return { chain, error, endpoints: endpoints.map(endpointBody) }
  }
  return { chains: [...chains].map(nodesOf) }
}

function endpointBody({ name, isHealthy, lastError }: NodeStatus, endpoint: number) {
  const host = name.slice(name.indexOf(':') + 1)
  return { endpoint, host, healthy: isHealthy, error: lastError?.text ?? null }
}

function requireKey<value>(value: value | null, id: number): value {
  if (value === null)
    throw new RequestError('not_found', `There is no working API key with the id ${id}.`, 'id')
  return value
}

function rethrowPlan(error: unknown): never {
  if (!(error instanceof UnknownPlanError)) throw error
  const { shortMessage, known } = error
  throw new RequestError('invalid_param', `${shortMessage} Plans: ${known.join(', ')}.`, 'plan')
}

function wireListed(key: ListedKey) {
  return { ...keyBody(key), period: { requests: key.requestCount, credits: key.creditsUsed } }
}

type AdminContext = {
  clients: Pick<Clients, 'addresses' | 'anonymousClients'>
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

function createAdminAudit({ clients, logger }: AdminContext): AdminAudit {
  const audit = logger.child({ log: 'audit' })
  const factsOf = ({ method, routeName, request }: Exchange) => ({
    action: `${method} ${routeName}`,
    address: clients.addresses.ofRequest(request),
  })

  return {
    refused(exchange, error) {
      const over = clients.anonymousClients.checkLimit(exchange.request, 'failedAdminKey')
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
  const isAdminKey = createSecretCheck(adminKey)
  return ({ headers }) => {
    const given = headers['x-admin-key']
    if (given === undefined || given === '')
      throw new RequestError('missing_key', `Send the admin key in the ${header} header.`, header)
    if (!isAdminKey(String(given)))
      throw new RequestError('invalid_key', 'This is not the admin key.', header)
  }
}
