import { createTape, KeyError, type Stream, type TapeEvent } from '@chaintape/client'
import { useEffect, useRef } from 'preact/hooks'
import { createStore, useStore } from '../lib/store.ts'
import { takeEarly } from './earlyAnswers.ts'
import { currentKey, refuseKey, session } from './session.ts'

/** State of the connection to the service. */
export const link = createStore<'connecting' | 'live' | 'lost'>('connecting')

/** Replaces a rejected key once, if the page has a token. */
async function fetchWithKey(
  url: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const early = takeEarly(String(url))?.catch(() => fetch(url, init))
  const answer = await (early ?? fetch(url, init))
  if (answer.status !== 401 && answer.status !== 403) return answer
  const headers = new Headers(init.headers)
  const { msg } = await answer.clone().json()
  refuseKey(headers.get('X-API-KEY') ?? '', msg)
  const key = await currentKey().catch(() => null)
  if (key === null) return answer
  headers.set('X-API-KEY', key)
  return fetch(url, { ...init, headers })
}

const tape = createTape({
  key: currentKey,
  fetch: fetchWithKey as typeof fetch,
  reconnectMsMax: 3_000,
  retryPauseMsMax: 5_000,
})

export const { rest } = tape

tape.on(({ type }) => {
  if (type === 'connected') link.set('live')
  else if (type === 'disconnected') link.set('lost')
})

export type Tape = typeof tape

// Pause before a failed stream is reopened.
const againMs = 1_000

/** Follows a stream while the component is mounted; `name` null: nothing yet. */
export function useStream<item extends { cursor: string | null }>(
  name: string | null,
  open: (from: Tape) => Stream<item>,
  onItem: (item: item) => void,
): void {
  const newest = useRef(onItem)
  newest.current = onItem
  const isOpen = useStore(session).state === 'open'
  useEffect(() => {
    if (name === null || !isOpen) return undefined
    let isOver = false
    let stream: Stream<item>
    let timer: ReturnType<typeof setTimeout> | undefined
    const start = () => {
      stream = open(tape)
      stream.each((item) => newest.current(item)).catch(again)
    }
    const again = async (error: unknown) => {
      if (isOver) return
      if (error instanceof KeyError) refuseKey(await currentKey().catch(() => ''), error.message)
      timer = setTimeout(start, againMs)
    }
    start()
    return () => {
      isOver = true
      clearTimeout(timer)
      void stream.close()
    }
  }, [name, isOpen])
}

/** Reports stream events while the component is mounted. */
export function useTapeEvents(onEvent: (event: TapeEvent) => void): void {
  const newest = useRef(onEvent)
  newest.current = onEvent
  useEffect(() => tape.on((event) => newest.current(event)), [])
}
