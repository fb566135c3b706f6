import { answerOf } from './fromCompat.ts'
import { type Operations, routes } from './operations.ts'
import { type AskPrice, createPriceBatch } from './priceBatch.ts'
import { type CallOptions, createSend, type RestOptions } from './send.ts'

export type Rest = Operations & { price: AskPrice }

type Params = Readonly<Record<string, unknown>>

/** The REST operations as methods. Failures are `ChaintapeError`s. */
export function createRest(options: RestOptions = {}): Rest {
  const send = createSend(options)
  const rest: Record<string, unknown> = {}
  for (const [name, route] of Object.entries(routes) as [keyof Operations, string][]) {
    const [path, method = 'GET'] = route.split(' ').reverse() as [
      string,
      'GET' | 'POST' | undefined,
    ]
    const idCount = path.split('{').length - 1
    rest[name] = async (...given: unknown[]) => {
      const ids = given.slice(0, idCount) as string[]
      const [params, call] = given.slice(idCount) as [Params?, CallOptions?]
      const { fields, ...body } = params ?? {}
      const isPost = method === 'POST'
      const request = {
        method,
        path:
          withIds(path, ids) + queryOf({ ...(isPost ? {} : body), fields: wanted(name, fields) }),
        ...(isPost ? { body } : {}),
      }
      return answerOf(name, await send(request, call), body)
    }
  }
  const operations = rest as Operations
  return { ...operations, price: createPriceBatch(operations.tokenPrices) }
}

/** Members needed to put rows of a list back under their ids. */
function wanted(name: keyof Operations, fields: unknown): unknown {
  return name === 'tokenBatch' && fields !== undefined ? `${fields},token,chain` : fields
}

function withIds(path: string, ids: readonly string[]): string {
  let at = 0
  return path.replace(/\{[^}]+\}/g, () => encodeURIComponent(String(ids[at++])))
}

function queryOf(params: Params): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
}
