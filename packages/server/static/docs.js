// The reference page: everything on it comes from /openapi.json of this very service.
const byId = (id) => document.getElementById(id)
const keyInput = byId('key')
keyInput.value = sessionStorage.getItem('key') ?? ''
keyInput.addEventListener('input', () => sessionStorage.setItem('key', keyInput.value))

const document31 = await (await fetch('/openapi.json')).json()
byId('summary').textContent = `${document31.info.summary}, interface ${document31.info.version}`

for (const { name } of document31.tags) {
  const heading = element('h3', name)
  byId('index').append(heading)
  for (const operation of operationsOf(name)) showOperation(operation)
}

function operationsOf(tag) {
  return Object.entries(document31.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ path, method, ...operation })),
  )
}

function showOperation(operation) {
  const { path, method, operationId } = operation
  const section = byId('operation').content.cloneNode(true).querySelector('section')
  const find = (selector) => section.querySelector(selector)
  section.id = operationId
  find('.method').textContent = method.toUpperCase()
  find('.method').classList.add(method)
  find('.path').textContent = path
  find('.cost').textContent = `${operation['x-cu-cost']} CU`
  find('.summary').textContent = operation.description ?? operation.summary
  const inputs = (operation.parameters ?? []).map((parameter) =>
    addInput(find('.inputs'), parameter),
  )
  const body = addBody(find('.inputs'), operation.requestBody)
  find('form').addEventListener('submit', (event) => {
    event.preventDefault()
    void send(operation, inputs, body, find)
  })
  showAnswer(operation.responses['200'].content['application/json'], find)
  byId('operations').append(section)
  const link = element('a', operation.summary)
  link.href = `#${operationId}`
  byId('index').append(link)
}

function addInput(form, { name, in: place, required, description, schema, example }) {
  const label = element('label', required ? `${name} *` : name)
  const input = schema.enum ? choiceOf(schema.enum) : document.createElement('input')
  input.setAttribute('aria-label', name)
  input.placeholder = schema.default === undefined ? '' : String(schema.default)
  input.value = example ?? (schema.enum ? (schema.default ?? '') : '')
  const about = element('p', description)
  about.className = 'about'
  form.append(label, input, about)
  return { name, place, input }
}

function choiceOf(words) {
  const select = document.createElement('select')
  for (const word of words) select.append(element('option', word))
  return select
}

function addBody(form, requestBody) {
  if (requestBody === undefined) return null
  const { example } = requestBody.content['application/json']
  const area = document.createElement('textarea')
  area.value = JSON.stringify(example, null, 2)
  form.append(element('label', 'body *'), area)
  return area
}

async function send({ path, method }, inputs, body, find) {
  const query = new URLSearchParams()
  let url = path
  for (const { name, place, input } of inputs) {
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(input.value))
    else if (input.value !== '') query.set(name, input.value)
  }
  if (query.size > 0) url += `?${query}`
  const startMs = performance.now()
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { 'X-API-KEY': keyInput.value },
    ...(body === null ? {} : { body: body.value }),
  })
  const text = await response.text()
  const parts = [
    `${response.status} in ${Math.round(performance.now() - startMs)} ms`,
    `cost ${response.headers.get('x-cu-cost') ?? 0} CU`,
  ]
  find('.status').textContent = parts.join(', ')
  show(find('.answer'), text)
}

function show(place, text) {
  place.hidden = false
  try {
    place.textContent = JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    place.textContent = text
  }
}

function showAnswer({ schema, example }, find) {
  const rows = fieldsOf(schema)
  for (const [name, type, isOptional] of rows) {
    const row = document.createElement('tr')
    row.append(
      element('td', name),
      element('td', type),
      element('td', isOptional ? 'optional' : ''),
    )
    find('tbody').append(row)
  }
  if (example !== undefined) show(find('.example'), JSON.stringify(example))
}

/** The members of an answer, one level of lists and wrappers deep. */
function fieldsOf(schema, prefix = '', depth = 0) {
  const known = resolved(schema)
  if (known.anyOf) return fieldsOf(known.anyOf[0], prefix, depth)
  if (known.type === 'array') return fieldsOf(known.items, `${prefix}[]`, depth)
  const { properties, additionalProperties, required = [] } = known
  if (typeof additionalProperties === 'object')
    return fieldsOf(additionalProperties, `${prefix}{…}`, depth)
  if (properties === undefined) return prefix === '' ? [] : [[prefix, typeOf(known), false]]
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const isDeep = depth < 2 && ['object', 'array'].includes(resolved(member).type)
    const own = [[path, typeOf(resolved(member)), !required.includes(name)]]
    return isDeep ? [...own, ...fieldsOf(member, path, depth + 1)] : own
  })
}

function resolved(schema) {
  if (schema.$ref === undefined) return schema
  return document31.components.schemas[schema.$ref.split('/').at(-1)]
}

function typeOf({ type, pattern, enum: words, const: only }) {
  if (only !== undefined) return JSON.stringify(only)
  if (words) return words.join(' | ')
  return type === 'string' && pattern ? 'decimal string' : String(type ?? '')
}

function element(tag, text) {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}
