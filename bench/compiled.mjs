// Usage: `node --import tsx --import ./bench/compiled.mjs`. Loads the service's modules as
// compiled, like the shipped program. tsx-compiled source renames each function whenever it is
// created, which costs time in every request.
import { register } from 'node:module'

const hooks = `
const source = '/packages/server/src/'
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  if (!found.url.includes(source)) return found
  const url = found.url.replace(source, '/packages/server/dist/').replace(/\\.ts(\\?.*)?$/, '.js')
  return { ...found, url, format: 'module' }
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
