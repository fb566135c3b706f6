import { RequestError } from '../../errors.ts'

// More parameters than any operation has; a longer list is somebody's mistake or attack.
const paramsMax = 64

const noQuery: ReadonlyMap<string, string[]> = new Map()

/** The query of a request target, decoded strictly: bad percent-encoding and UTF-8 are errors, not guesses. */
export function queryOf(url: string): ReadonlyMap<string, string[]> {
  const at = url.indexOf('?')
  if (at < 0 || at === url.length - 1) return noQuery
  const query = new Map<string, string[]>()
  const parts = url.slice(at + 1).split('&')
  if (parts.length > paramsMax)
    throw new RequestError('bad_request', `The query has over ${paramsMax} parameters.`, 'query')
  for (const part of parts) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decoded(part.slice(equals + 1))
    const values = query.get(name)
    if (values === undefined) query.set(name, [value])
    else values.push(value)
  }
  return query
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new RequestError('bad_request', 'The query is not valid percent-encoding.', 'query')
  }
}

/** The one value of a parameter that the operation reads; an empty one is none. */
export function singleOf(query: ReadonlyMap<string, string[]>, name: string): string | undefined {
  const values = query.get(name)
  if (values === undefined) return undefined
  if (values.length > 1)
    throw new RequestError('invalid_param', `Give ${name} once, not ${values.length} times.`, name)
  return values[0] === '' ? undefined : values[0]
}
