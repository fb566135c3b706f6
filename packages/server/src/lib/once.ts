/** Calls `make` on the first call only; later calls return the same result. */
export function once<result extends object>(make: () => result): () => result {
  let made: result | undefined
  return () => {
    made ??= make()
    return made
  }
}
