/** Objects by number for as long as anybody else holds them: so that there is never a second one of the same. */
export type LiveObjects<value extends object> = {
  get(id: number): value | undefined
  set(id: number, value: value): void
  ids(): number[]
}

export function createLiveObjects<value extends object>(): LiveObjects<value> {
  const refs = new Map<number, WeakRef<value>>()
  const registry = new FinalizationRegistry<number>((id) => {
    // A new one may have taken the place.
    if (refs.get(id)?.deref() === undefined) refs.delete(id)
  })
  return {
    get: (id) => refs.get(id)?.deref(),
    set(id, value) {
      refs.set(id, new WeakRef(value))
      registry.register(value, id)
    },
    ids: () => [...refs.keys()],
  }
}
