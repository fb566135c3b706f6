import { useLayoutEffect, useState } from 'preact/hooks'
import { session } from './session.ts'

export type Query<answer> = {
  /** The newest answer to the question of now; undefined until there is one. */
  data: answer | undefined
  /** Why there is none that is newer. */
  error: string | null
}

type QueryOptions = {
  /** Asks again so often while the page is looked at. */
  everyMs?: number
}

/** Asks the service, again when `name` changes; null: nothing yet. What was answered to another name is not shown. */
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

  // Not after the next picture: the question is on its way while that is drawn.
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
