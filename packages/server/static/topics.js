// The topics of the WebSocket, from /asyncapi.json, each with a subscription to try.
import { element, fieldsOf, makeReachable, prose, show, showFields } from './fields.js'

// As many as one reads; the newest first.
const framesMax = 20

/** Appends a section for each topic, and its line to the index. */
export async function showTopics({ index, list, template, keyInput }) {
  const { components } = await (await fetch('/asyncapi.json')).json()
  const calls = components.messages.subscribe.examples.map(({ payload }) => payload)
  index.append(element('h3', 'websocket'))
  list.append(element('h2', 'websocket'))
  for (const call of firstOfEach(calls)) {
    const [topic] = call.params
    const message = messageOf(components.messages, topic)
    const section = template.content.cloneNode(true).querySelector('section')
    const find = (selector) => section.querySelector(selector)
    section.id = `topic-${topic}`
    find('.path').textContent = topic
    find('.summary').append(...prose(message.summary))
    find('textarea').value = JSON.stringify(call)
    const name = message.payload.$ref.split('/').at(-1)
    const { result } = components.schemas[name].properties
    showFields(find('table'), fieldsOf(result, components.schemas))
    show(find('.example'), JSON.stringify(message.examples[0].payload))
    addTry(find, keyInput)
    list.append(section)
    const link = element('a', topic)
    link.href = `#topic-${topic}`
    index.append(link)
  }
}

/** The plainest call of each topic. */
function firstOfEach(calls) {
  const byTopic = new Map()
  for (const call of calls) if (!byTopic.has(call.params[0])) byTopic.set(call.params[0], call)
  return byTopic.values()
}

/** Pushes of several klines are those of one. */
function messageOf(messages, topic) {
  const name = topic === 'multi_kline' ? 'kline' : topic
  return Object.values(messages).find(({ title }) => title === name)
}

function addTry(find, keyInput) {
  let socket = null
  const tell = (text, isFailed = false) => {
    find('.status').textContent = text
    find('.status').classList.toggle('failed', isFailed)
  }
  const stop = () => {
    socket?.close()
    socket = null
    find('.stop').hidden = true
  }
  find('.stop').addEventListener('click', () => {
    stop()
    tell('Stopped.')
  })
  find('form').addEventListener('submit', (event) => {
    event.preventDefault()
    stop()
    const frames = []
    let count = 0
    const address = new URL('/ws', location.href)
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
    // A browser cannot set headers of a socket.
    if (keyInput.value !== '') address.searchParams.set('api_key', keyInput.value)
    const own = new WebSocket(address)
    socket = own
    tell('Connecting…')
    find('.stop').hidden = false
    own.addEventListener('open', () => own.send(find('textarea').value))
    own.addEventListener('message', ({ data }) => {
      if (socket !== own) return
      frames.unshift(data)
      frames.length = Math.min(frames.length, framesMax)
      count += 1
      const { error } = JSON.parse(data)
      if (error) tell(error.message, true)
      else tell(`${count} messages`)
      find('.answer').hidden = false
      makeReachable(find('.answer'))
      find('.answer').textContent = frames.join('\n\n')
    })
    own.addEventListener('close', ({ code, reason }) => {
      if (socket !== own) return
      stop()
      tell(`Closed: ${code} ${reason}`.trim(), true)
    })
  })
}
