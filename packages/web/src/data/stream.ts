import { useEffect, useRef } from 'preact/hooks'
import { createStore } from '../lib/store.ts'
import { currentKey, refuseKey, session } from './session.ts'

// biome-ignore lint/suspicious/noExplicitAny: a push is what its topic says
export type Push = any

/** How the page hears of news. */
export const link = createStore<'connecting' | 'live' | 'lost'>('connecting')

type Topic = {
  params: readonly unknown[]
  options: Readonly<Record<string, unknown>>
  onPush(push: Push): void
  /** Where it is in the chain, to go on from there. */
  cursor: string | null
}

const topics = new Map<number, Topic>()
let socket: WebSocket | null = null
let nextId = 1
let failures = 0
let isConnecting = false

function send(method: string, id: number, { params, options, cursor }: Topic): void {
  if (socket?.readyState !== WebSocket.OPEN) return
  const since = cursor === null ? {} : { since: cursor }
  const all = method === 'subscribe' ? [...params, { ...options, ...since }] : params
  socket.send(JSON.stringify({ jsonrpc: '2.0', method, params: all, id }))
}

function receive(text: string, key: string): void {
  const message = JSON.parse(text)
  if (message.error?.code === -1) {
    refuseKey(key, message.error.message)
    return
  }
  const topic = topics.get(message.id)
  if (topic === undefined) return
  if (message.error !== undefined) {
    // What was missed cannot be had any more: begin with the state of now.
    if (topic.cursor === null) return
    topic.cursor = null
    send('subscribe', message.id, topic)
    return
  }
  if (message.cursor) topic.cursor = message.cursor
  if (message.result?.topic !== undefined || message.result?.data !== undefined)
    topic.onPush(message.result)
}

async function connect(): Promise<void> {
  if (isConnecting || socket !== null || topics.size === 0) return
  isConnecting = true
  const key = await currentKey().catch(() => null)
  isConnecting = false
  if (key === null) return
  const { host, protocol } = location
  const scheme = protocol === 'https:' ? 'wss' : 'ws'
  socket = new WebSocket(`${scheme}://${host}/ws?api_key=${encodeURIComponent(key)}`)
  socket.onopen = () => {
    failures = 0
    link.set('live')
    for (const [id, topic] of topics) send('subscribe', id, topic)
  }
  socket.onmessage = ({ data }) => receive(data, key)
  socket.onclose = () => {
    socket = null
    link.set('lost')
    failures += 1
    setTimeout(
      () => void connect(),
      Math.min(5_000, 250 * 2 ** failures) * (0.5 + Math.random() / 2),
    )
  }
}

session.watch(() => session.get().state === 'open' && void connect())

/** Follows a topic while the part of the page is there; null: nothing yet. */
export function useTopic(
  params: readonly unknown[] | null,
  options: Readonly<Record<string, unknown>>,
  onPush: (push: Push) => void,
): void {
  const newest = useRef(onPush)
  newest.current = onPush
  const name = params === null ? null : JSON.stringify(params)
  useEffect(() => {
    if (params === null) return undefined
    const id = nextId
    nextId += 1
    const topic: Topic = { params, options, cursor: null, onPush: (push) => newest.current(push) }
    topics.set(id, topic)
    send('subscribe', id, topic)
    void connect()
    return () => {
      topics.delete(id)
      send('unsubscribe', id, topic)
    }
  }, [name])
}
