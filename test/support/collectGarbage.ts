import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects all garbage, for tests of what stays in memory. */
export async function collectGarbage(): Promise<void> {
  // V8 keeps the target of a new or dereferenced WeakRef alive until the end of the current task.
  await new Promise((done) => setImmediate(done))
  collectGarbageNow()
}

/** Collects garbage synchronously. Targets of WeakRefs used in the current task survive. */
export function collectGarbageNow(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
