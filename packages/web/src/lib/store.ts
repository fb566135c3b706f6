import { useLayoutEffect, useState } from 'preact/hooks'

/** A value that components watch. */
export type Store<value> = {
  get(): value
  set(next: value): void
  /** Returns the function that ends it. */
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

/** The value; rerenders whenever it changes. */
export function useStore<value>(store: Store<value>): value {
  const [, render] = useState(0)
  const rendered = store.get()
  // Watches before the next event of the page: after the next frame would miss a key press.
  useLayoutEffect(() => {
    const end = store.watch(() => render((count) => count + 1))
    // Components rendered after this one may have changed it.
    if (!Object.is(rendered, store.get())) render((count) => count + 1)
    return end
  }, [store])
  return rendered
}

/** Runs a task once before the next frame, however often it was requested. */
export function createFrameTask(run: () => void): () => void {
  let isAsked = false
  const perform = () => {
    isAsked = false
    run()
  }
  return () => {
    if (isAsked) return
    isAsked = true
    // A hidden page has no frames; a timer updates it.
    if (document.hidden) setTimeout(perform, 1_000)
    else requestAnimationFrame(perform)
  }
}

/** Runs a task at most once per interval, and once more if it was requested meanwhile. */
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
