// The members of an answer as rows of a table: name, type, whether it may be missing.

// Deeper members are seen in the example.
const depthMax = 2

/** Of a schema of the OpenAPI document and the schemas it refers to. */
export function fieldsOf(schema, schemas, prefix = '', depth = 0) {
  const known = resolved(schema, schemas)
  const inside = (member, name, deeper = depth) => fieldsOf(member, schemas, name, deeper)
  if (known.anyOf) return inside(known.anyOf[0], prefix)
  if (known.items) return inside(known.items, `${prefix}[]`)
  const { properties, additionalProperties, required = [] } = known
  if (typeof additionalProperties === 'object') return inside(additionalProperties, `${prefix}{…}`)
  if (properties === undefined) return prefix === '' ? [] : [[prefix, typeOf(known), false]]
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const { type, items, properties: members } = resolved(member, schemas)
    const own = [[path, typeOf(resolved(member, schemas)), !required.includes(name)]]
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
