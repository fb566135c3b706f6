// The members of an answer or a push as rows of a table: name, type, whether it is optional, meaning.

// The example shows deeper members.
const depthMax = 2

/** Rows of a schema of an OpenAPI document, whose `schemas` are those it refers to. */
export function fieldsOf(schema, schemas, prefix = '', depth = 0) {
  const known = resolved(schema, schemas)
  const inside = (member, name, deeper = depth) => fieldsOf(member, schemas, name, deeper)
  if (known.anyOf) return inside(known.anyOf[0], prefix)
  if (known.items) return inside(known.items, `${prefix}[]`)
  const { properties, additionalProperties, required = [] } = known
  if (typeof additionalProperties === 'object') return inside(additionalProperties, `${prefix}{…}`)
  if (properties === undefined)
    return prefix === '' ? [] : [[prefix, typeOf(known), false, known.description ?? '']]
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const { type, items, properties: members, ...rest } = resolved(member, schemas)
    const meaning = member.description ?? rest.description ?? ''
    const own = [[path, typeOf(resolved(member, schemas)), !required.includes(name), meaning]]
    const isDeep = depth < depthMax && (items?.properties || items?.$ref || members)
    return isDeep && type !== undefined ? [...own, ...inside(member, path, depth + 1)] : own
  })
}

function resolved(schema, schemas) {
  return schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)]
}

function typeOf({ type, pattern, enum: words, const: only, anyOf }) {
  if (only !== undefined) return JSON.stringify(only)
  if (words) return words.join(' | ')
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if (type === 'string' && pattern) return 'decimal string'
  return [type ?? 'any'].flat().join(' or ')
}

/** JSON in lines, or the text as it is. */
export function inLines(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
