/** One thing wrong with a configuration. `path` is as in the file, for example `server.port`. */
export type ConfigProblem = {
  path: string
  message: string
  /** Where it stands in the file. Undefined: it does not come from there. */
  place?: { line: number; column: number } | undefined
}

/** An address of a config, and where it stands. */
export type AddressAt = { path: string; address: string }

/** Names each address that stands in the list before; `canonicalOf` gives the text by which two are the same. */
export function findDuplicates(
  list: readonly AddressAt[],
  canonicalOf: (address: string) => string,
): ConfigProblem[] {
  const first = new Map<string, string>()
  return list.flatMap(({ path, address }) => {
    const key = canonicalOf(address)
    const earlier = first.get(key)
    if (earlier !== undefined) return { path, message: `is the same as ${earlier}` }
    first.set(key, path)
    return []
  })
}
