import { useLayoutEffect, useState } from 'preact/hooks'

/** A value that parts of the page watch. */
export type Store<value> = {
  get(): value
  set(next: value): void
  /** Gives what ends it. */
  watch(onChange: () => void): () => void
}

export function createStore<value>(first: value): Store<value> {
  let current = first
  const watchers = new Set<() => void>()
  return {
    get: () => current,
    set(next) {
      if (Object.is(next, current)) return
      current = next
      for (const tell of [...watchers]) tell()
    },
    watch(onChange) {
      watchers.add(onChange)
      return () => watchers.delete(onChange)
    },
  }
}

/** The value, and a new rendering whenever it changes. */
export function useStore<value>(store: Store<value>): value {
  const [, render] = useState(0)
  const rendered = store.get()
  // Watched before the next event of the page: after the next picture would be too late for a key that was pressed.
  useLayoutEffect(() => {
    const end = store.watch(() => render((count) => count + 1))
    // Parts that were rendered after this one may have changed it.
    if (!Object.is(rendered, store.get())) render((count) => count + 1)
    return end
  }, [store])
  return rendered
}

/** Runs what was asked for once before the next picture, however often it was asked for. */
export function createFrameTask(run: () => void): () => void {
  let isAsked = false
  const perform = () => {
    isAsked = false
    run()
  }
  return () => {
    if (isAsked) return
    isAsked = true
    // A hidden page has no pictures; it is brought up to date now and then.
    if (document.hidden) setTimeout(perform, 1_000)
    else requestAnimationFrame(perform)
  }
}

/** Runs what was asked for at most once in so long, and once more for what was asked for meanwhile. */
export function createPacedTask(run: () => void, everyMs: number): () => void {
  let isPacing = false
  let isAsked = false
  const perform = () => {
    isPacing = isAsked
    if (!isAsked) return
    isAsked = false
    setTimeout(perform, everyMs)
    run()
  }
  return () => {
    isAsked = true
    if (!isPacing) perform()
  }
}
