// The reference page: everything on it comes from /openapi.json and /asyncapi.json of this very service.
import { element, fieldsOf, prose, show, showFields } from './fields.js'
import { addSearch } from './search.js'
import { showTopics } from './topics.js'

const byId = (id) => document.getElementById(id)
const keyInput = byId('key')
keyInput.value = sessionStorage.getItem('key') ?? ''
keyInput.addEventListener('input', () => sessionStorage.setItem('key', keyInput.value))

const adminHeader = 'X-ADMIN-KEY'

const document31 = await (await fetch('/openapi.json')).json()
byId('summary').textContent = `${document31.info.summary}, interface ${document31.info.version}`

for (const { name } of document31.tags) {
  byId('index').append(element('h3', name))
  byId('operations').append(element('h2', name))
  for (const operation of operationsOf(name)) showOperation(operation)
}
await showTopics({
  index: byId('index'),
  list: byId('operations'),
  template: byId('topic'),
  keyInput,
})
addSearch({ input: byId('search'), index: byId('index'), list: byId('operations') })

const menu = byId('menu')
const openMenu = (isOpen) => menu.setAttribute('aria-expanded', String(isOpen))
menu.addEventListener('click', () => openMenu(menu.getAttribute('aria-expanded') !== 'true'))
byId('index').addEventListener('click', () => openMenu(false))

// The address may name an operation that was not there yet.
document.getElementById(location.hash.slice(1))?.scrollIntoView()

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
  const header = keyHeaderOf(operation)
  find('.cost').textContent = costTextOf(operation, header)
  find('.summary').append(...prose(operation.description ?? operation.summary))
  const inputs = (operation.parameters ?? []).map((parameter) =>
    addInput(find('.inputs'), parameter),
  )
  const body = addBody(find('.inputs'), operation.requestBody)
  const asked = () => requestOf(operation, inputs, body)
  find('form').addEventListener('submit', (event) => {
    event.preventDefault()
    void send(asked(), find)
  })
  const showCurl = () => {
    find('.curl').textContent = curlOf(asked(), header)
  }
  find('form').addEventListener('input', showCurl)
  showCurl()
  // A key that makes keys is not for pages.
  find('button').hidden = header === adminHeader
  const { 200: answer, 201: made } = operation.responses
  showAnswer(Object.values((answer ?? made).content)[0], find)
  byId('operations').append(section)
  const link = element('a', operation.summary)
  link.href = `#${operationId}`
  byId('index').append(link)
}

/** The header that carries the key; null: none is needed. */
function keyHeaderOf({ security = document31.security }) {
  if (security.length === 0) return null
  return document31.components.securitySchemes[Object.keys(security[0])[0]].name
}

function costTextOf(operation, header) {
  if (header === null) return 'no key needed'
  return header === adminHeader ? 'admin key' : `${operation['x-cu-cost']} CU`
}

function addInput(form, { name, in: place, required, description, schema, example }) {
  const label = element('label', required ? `${name} *` : name)
  const words = (schema.anyOf?.[0] ?? schema).enum
  const input = words ? choiceOf(words) : document.createElement('input')
  input.setAttribute('aria-label', name)
  input.placeholder = schema.default === undefined ? '' : String(schema.default)
  input.value = example ?? (words ? (schema.default ?? '') : '')
  const about = document.createElement('p')
  about.append(...prose(description))
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
  area.ariaLabel = 'body'
  form.append(element('label', 'body *'), area)
  return area
}

function requestOf({ path, method }, inputs, body) {
  const query = new URLSearchParams()
  let url = path
  for (const { name, place, input } of inputs) {
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(input.value))
    else if (input.value !== '') query.set(name, input.value)
  }
  if (query.size > 0) url += `?${query}`
  return { url, method: method.toUpperCase(), body: body?.value }
}

/** The same request for a terminal, with the key left for the reader to fill in. */
function curlOf({ url, method, body }, header) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const variable = header === adminHeader ? '$ADMIN_KEY' : '$KEY'
  // Not an argument of curl: those are shown to other users of the machine.
  const parts = header === null ? ['curl'] : [`echo "${header}: ${variable}" | curl -H @-`]
  if (body === undefined && method === 'POST') parts.push('-X POST')
  if (body !== undefined) parts.push('-d', quoted(body.replace(/\s*\n\s*/g, ' ')))
  return [...parts, quoted(`${location.origin}${url}`)].join(' ')
}

async function send({ url, method, body }, find) {
  const startMs = performance.now()
  find('.status').textContent = 'Sent…'
  try {
    const headers = keyInput.value === '' ? {} : { 'X-API-KEY': keyInput.value }
    const response = await fetch(url, { method, headers, body })
    const text = await response.text()
    const cost = response.headers.get('x-cu-cost')
    const parts = [
      `${response.status} in ${Math.round(performance.now() - startMs)} ms`,
      ...(cost === null ? [] : [`cost ${cost} CU`]),
    ]
    find('.status').textContent = parts.join(', ')
    find('.status').classList.toggle('failed', !response.ok)
    show(find('.answer'), text)
  } catch (error) {
    find('.status').textContent = `No answer: ${error.message}`
    find('.status').classList.add('failed')
  }
}

function showAnswer({ schema, example }, find) {
  showFields(find('table'), fieldsOf(schema, document31.components.schemas))
  if (example !== undefined) show(find('.example'), JSON.stringify(example))
}
