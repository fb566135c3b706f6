import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects the whole heap, for tests of what is held and what is not. */
export async function collectGarbage(): Promise<void> {
  // What a weak reference was made of lives until the end of its turn.
  await new Promise((done) => setImmediate(done))
  collectNow()
}

/** The same in the middle of a turn: what was weakly referred to in it stays. */
export function collectNow(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
