import { useLayoutEffect, useState } from 'preact/hooks'
import { session } from './session.ts'

export type Query<answer> = {
  /** The newest answer to the current query; undefined before the first. */
  data: answer | undefined
  /** Why there is no newer answer. */
  error: string | null
}

type QueryOptions = {
  /** Repeats the query at this interval while the page is visible. */
  everyMs?: number
}

/**
 * Asks the service, again whenever `name` changes; null: nothing yet. Answers of another name are
 * never shown.
 */
export function useQuery<answer>(
  name: string | null,
  ask: (signal: AbortSignal) => Promise<answer>,
  { everyMs }: QueryOptions = {},
): Query<answer> & { again(): void } {
  const [held, hold] = useState<Query<answer> & { name: string | null }>({
    name: null,
    data: undefined,
    error: null,
  })
  const [asked, askAgain] = useState(0)

  // Before the next frame, so that the request is under way while it is drawn.
  useLayoutEffect(() => {
    if (name === null) return undefined
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    let isAsking = false
    const run = async () => {
      clearTimeout(timer)
      if (isAsking) return
      isAsking = true
      try {
        const data = await ask(signal)
        if (!signal.aborted) hold({ name, data, error: null })
      } catch (fault) {
        const error = fault instanceof Error ? fault.message : String(fault)
        if (!signal.aborted)
          hold((before) => ({ name, error, data: before.name === name ? before.data : undefined }))
      }
      isAsking = false
      if (everyMs !== undefined && !signal.aborted) timer = setTimeout(next, everyMs)
    }
    const next = () => {
      if (document.hidden) timer = setTimeout(next, everyMs)
      else void run()
    }
    void run()
    const end = session.watch(() => session.get().state === 'open' && void run())
    return () => {
      end()
      clearTimeout(timer)
      controller.abort()
    }
  }, [name, asked])

  const { data, error } = held.name === name ? held : { data: undefined, error: null }
  return { data, error, again: () => askAgain((count) => count + 1) }
}
