import { keyBody } from '@chaintape/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RequestError, UnknownPlanError } from '../errors.ts'
import type { KeyAdmin, ListedKey } from '../keys/keyAdmin.ts'
import { fallbackPlanName, type Plan } from '../keys/plan.ts'
import { usageBody } from '../rest/usage.ts'
import { type AdminContext, createAudit } from './adminAudit.ts'
import { createAdminAuth } from './adminAuth.ts'
import { adminBody, graceSDefault, keyIdOf, secondsMember, textMember } from './adminInputs.ts'

export type AdminRoutesOptions = {
  /** Undefined: there is no admin API. */
  adminKey: string | undefined
  keys: KeyAdmin
  plans: ReadonlyMap<string, Plan>
}

type WithId = FastifyRequest<{ Params: { id: string } }>

/** Makes, lists and ends API keys for whoever has the admin key. */
export function addAdminRoutes(
  app: FastifyInstance,
  options: AdminRoutesOptions,
  context: AdminContext,
): void {
  const { adminKey, keys } = options
  if (adminKey === undefined) return
  const audit = createAudit(context)
  const authenticate = createAdminAuth(adminKey)
  const onRequest = async (request: FastifyRequest) => {
    try {
      authenticate(request)
    } catch (error) {
      throw audit.refused(request, error)
    }
    audit.begun(request)
  }
  app.addHook('onResponse', async (request, reply) => audit.answered(request, reply.statusCode))

  app.post('/admin/keys', { onRequest }, async (request, reply) => {
    const body = adminBody(request.body)
    const plan = textMember(body, 'plan', null)
    const name = textMember(body, 'name', '')
    const expiresInS = secondsMember(body, 'expires_in', { min: 1, fallback: null })
    const made = await keys.create({ name, plan, expiresInS }).catch(rethrowPlan)
    audit.about(request, made.id)
    return reply.code(201).send({ key: made.key, ...keyBody(made) })
  })
  app.get('/admin/keys', { onRequest }, async () => ({ keys: (await keys.list()).map(wireListed) }))
  app.post('/admin/keys/:id/rotate', { onRequest }, async (request: WithId, reply) => {
    const id = keyIdOf(request.params.id)
    const grace = secondsMember(adminBody(request.body), 'grace', {
      ...{ min: 0, fallback: graceSDefault },
    })
    const made = found(await keys.rotate(id, grace), id)
    audit.about(request, made.id)
    return reply.code(201).send({ key: made.key, ...keyBody(made), replaces: id })
  })
  app.post('/admin/keys/:id/expire', { onRequest }, async (request: WithId) => {
    const id = keyIdOf(request.params.id)
    const inS = secondsMember(adminBody(request.body), 'in', { min: 0, fallback: 0 })
    return keyBody(found(await keys.expire(id, inS), id))
  })
  app.post('/admin/keys/:id/revoke', { onRequest }, async (request: WithId) => {
    const id = keyIdOf(request.params.id)
    return keyBody(found(await keys.revoke(id), id))
  })
  app.get('/admin/keys/:id/usage', { onRequest }, async (request: WithId) => {
    const id = keyIdOf(request.params.id)
    const { plan, ...usage } = found(await keys.usage(id), id)
    const inForce = plan ?? options.plans.get(fallbackPlanName)!
    return usageBody({ ...usage, plan: inForce, requestsLeft: null })
  })
}

function found<value>(value: value | null, id: number): value {
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
