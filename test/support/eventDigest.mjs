import { createHash } from 'node:crypto'

/** The same text for equal values: sorted keys, marked bigints, exact doubles. */
function canonicalText(value) {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : `${value}`
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const fields = Object.keys(value).sort()
  return `{${fields.map((key) => `${key}:${canonicalText(value[key])}`).join(',')}}`
}

export function eventDigest(events) {
  return createHash('sha256').update(canonicalText(events)).digest('hex')
}
