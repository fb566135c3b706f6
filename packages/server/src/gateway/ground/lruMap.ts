/**
 * A map that evicts entries not used for long. It has two halves: reading an entry of the old half
 * moves it to the new half, and a full new half becomes the old half. So reading an entry in steady
 * use writes nothing.
 */
type LruMap<value> = {
  get(key: string): value | undefined
  set(key: string, value: value): void
  delete(key: string): void
  clear(): void
}

export function createLruMap<value>(countMax: number): LruMap<value> {
  const halfMax = Math.max(1, Math.floor(countMax / 2))
  let young = new Map<string, value>()
  let old = new Map<string, value>()

  function set(key: string, value: value): void {
    young.set(key, value)
    if (young.size < halfMax) return
    old = young
    young = new Map()
  }

  return {
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const earlier = old.get(key)
      if (earlier !== undefined) set(key, earlier)
      return earlier
    },
    set,
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young = new Map()
      old = new Map()
    },
  }
}
