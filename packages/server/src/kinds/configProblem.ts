/**
 * One problem of a configuration. `path` is the field's path in the file, for example
 * `server.port`.
 */
export type ConfigProblem = {
  path: string
  message: string
  /** Position in the file. Undefined if the value does not come from the file. */
  place?: { line: number; column: number } | undefined
}

/** An address in a config, with its path. */
export type ConfigAddress = { path: string; address: string }

/**
 * Reports each address that repeats an earlier one. `canonicalOf` returns equal texts for equal
 * addresses.
 */
export function findDuplicates(
  list: readonly ConfigAddress[],
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
