// `node --import tsx --import ./bench/compiled.mjs`: the service's own modules are those that it ships, compiled. What tsx makes
// of their source names every function again whenever it is made, which a request pays for.
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
