// The members of an answer or a push as rows of a table: name, type, whether it may be missing, what it means.

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

/** Fills the table of a section. */
export function showFields(table, rows) {
  table.hidden = rows.length === 0
  for (const [name, type, isOptional, meaning] of rows) {
    const row = document.createElement('tr')
    const typeText = isOptional ? `${type}, optional` : type
    row.append(...[name, typeText].map((text) => element('td', text)), element('td', ''))
    row.lastChild.append(...prose(meaning))
    table.tBodies[0].append(row)
  }
}

/** Text in which words between backticks are code. */
export function prose(text) {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : element('code', part)))
}

export function element(tag, text) {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

/** JSON in lines, or the text as it is. */
export function show(place, text) {
  makeReachable(place)
  place.hidden = false
  try {
    place.textContent = JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    place.textContent = text
  }
}

/** What scrolls must be reachable by keyboard. */
export function makeReachable(place) {
  place.tabIndex = 0
}
